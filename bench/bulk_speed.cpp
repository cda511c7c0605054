// Texts a second of `headroom predict`, from JSON lines in a file to JSON lines in a file, beside
// what the engine does with the same tokens in one call, and beside fastText's `predict`. All of
// them in every round, in shuffled order. Writes one JSON object, prints a table.
//   bench-bulk PROGRAM MODEL OUT      scripts/bench-bulk says what the options are
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>

#include "base/files/file.h"
#include "base/files/scratch_folder.h"
#include "base/measure/interleaved.h"
#include "base/measure/machine.h"
#include "base/table.h"
#include "budget/fraction.h"
#include "data/load.h"
#include "engine/session.h"
#include "fasttext.h"

namespace headroom {
namespace {

struct BulkOptions {
  std::string program;
  std::string model;
  std::string out;
  std::string data = "agnews";
  std::string data_dir = "data";
  std::string budgets = "0.25,0.5,1";
  std::string precision = "fp32";
  int threads = 2;
  int rounds = 5;
  int fasttext_copies = 10;  // of the file, so that predicting takes longer than loading
  uint64_t seed = 1;
};

using Times = std::vector<double>;  // milliseconds, one a round

// That this process and the ones it waited for have computed, in milliseconds: what work costs
// whatever else the machine does.
double computed_ms() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    ::getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      sum += 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
    }
  }
  return sum;
}

std::string json_lines(const TextDataset& rows) {
  std::string lines;
  for (const TextRow& row : rows.rows) lines += Json{{"text", row.text}}.dump() + "\n";
  return lines;
}

Json rate_json(const Times& milliseconds, size_t texts) {
  const auto rate = [&](double q) {
    return 1000 * static_cast<double>(texts) / quantile(milliseconds, q);
  };
  return {{"median", rate(0.5)}, {"slowest", rate(1)}, {"fastest", rate(0)}};
}

// What predict keeps of the engine's own rate, round by round.
Json compare(const Times& engine, const Times& predict, size_t texts, const std::string& unit) {
  Times ratios;
  for (size_t round = 0; round < engine.size(); ++round) {
    ratios.push_back(engine[round] / predict[round]);
  }
  return {{"engine_texts_per_" + unit, rate_json(engine, texts)},
          {"predict_texts_per_" + unit, rate_json(predict, texts)},
          {"ratio_by_" + unit,
           {{"median", quantile(ratios, 0.5)},
            {"lowest", quantile(ratios, 0)},
            {"highest", quantile(ratios, 1)}}}};
}

Json fasttext_json(const Times& all, const Times& load, size_t texts) {
  Times net;
  for (size_t i = 0; i < all.size(); ++i) net.push_back(all[i] - load[i]);
  return {{"settings", FastText::settings},
          {"threads", 1},
          {"rows", texts},
          {"load_ms", quantile(load, 0.5)},
          {"texts_per_second", rate_json(net, texts)}};
}

void print_result(const Json& result) {
  Table table{{"budget", "engine alone, texts/s", "predict, texts/s", "predict / engine",
               "the same by core-seconds", "predict, texts/core-second"},
              {}};
  for (const Json& cell : result["budgets"]) {
    const auto number = [&](const char* key, const char* part) {
      return cell[key].value(part, 0.0);
    };
    const auto ratio = [&](const char* key) {
      return fmt::format("{:.3f} ({:.3f} to {:.3f})", number(key, "median"), number(key, "lowest"),
                         number(key, "highest"));
    };
    table.rows.push_back(
        {fmt::format("{}", cell.value("budget", 0.0)),
         fmt::format("{:.0f}", number("engine_texts_per_second", "median")),
         fmt::format("{:.0f}", number("predict_texts_per_second", "median")),
         ratio("ratio_by_second"), ratio("ratio_by_core_second"),
         fmt::format("{:.0f}", number("predict_texts_per_core_second", "median"))});
  }
  fmt::print("{}", markdown(table));
  const Json& peer = result["fasttext"];
  fmt::print("fastText predict, one thread: {:.0f} texts/s after {:.0f} ms of loading\n",
             peer["texts_per_second"].value("median", 0.0), peer.value("load_ms", 0.0));
}

void measure(const BulkOptions& options) {
  const ScratchFolder folder;
  const TextDataset test = load_text_dataset(options.data + ":test", options.data_dir);
  const std::string lines = json_lines(test);
  const std::string file = (folder.path() / "texts.jsonl").string();
  write_file_atomically(file, lines);
  EngineOptions engine;
  engine.precision = precision_table.parse(options.precision);
  const auto model = EngineModel::load(options.model, engine);
  Session session(model, options.threads);
  std::vector<Tokens> inputs;
  int64_t tokens = 0;
  for (const TextRow& row : test.rows) {
    inputs.push_back(tokenise(*model, {row.text}));
    tokens += static_cast<int64_t>(inputs.back().ids.size());
  }

  const FastText fasttext(load_text_dataset(options.data, options.data_dir), options.seed,
                          options.threads);
  const std::string all = fasttext.write_texts("all", test.rows, options.fasttext_copies);
  const std::string none = fasttext.write_texts("none", {});
  const size_t texts = test.rows.size() * static_cast<size_t>(options.fasttext_copies);
  const std::vector<double> budgets = parse_budgets(options.budgets);
  std::vector<std::function<void()>> runs = {[&] { fasttext.predict(all); },
                                             [&] { fasttext.predict(none); }};
  for (const double budget : budgets) {
    runs.emplace_back([&, budget] { session.run(inputs, Budget{budget}); });
    runs.emplace_back([&, budget] {
      run_command(
          fmt::format("{} predict --model {} --budget {} --precision {} --threads {} --input "
                      "jsonl --json {} >{} 2>/dev/null",
                      options.program, options.model, budget, options.precision, options.threads,
                      file, (folder.path() / "answers.jsonl").string()));
    });
  }
  std::vector<Times> computed(runs.size());
  std::vector<std::function<void()>> timed;
  for (size_t i = 0; i < runs.size(); ++i) {
    timed.emplace_back([&, i] {
      const double before = computed_ms();
      runs[i]();
      computed[i].push_back(computed_ms() - before);
    });
  }
  const std::vector<Times> times = time_interleaved(timed, 0, options.rounds, options.seed);

  Json result = {{"machine", describe_machine()},
                 {"date", today()},
                 {"model", options.model},
                 {"precision", options.precision},
                 {"threads", options.threads},
                 {"data", options.data + ":test"},
                 {"rows", inputs.size()},
                 {"bytes", lines.size()},
                 {"tokens", tokens},
                 {"rounds", options.rounds},
                 {"seed", options.seed}};
  for (size_t i = 0; i < budgets.size(); ++i) {
    const size_t alone = 2 + 2 * i;
    Json cell = {{"budget", budgets[i]}};
    cell.update(compare(times[alone], times[alone + 1], inputs.size(), "second"));
    cell.update(compare(computed[alone], computed[alone + 1], inputs.size(), "core_second"));
    result["budgets"].push_back(cell);
  }
  result["fasttext"] = fasttext_json(times[0], times[1], texts);
  result["fasttext"]["texts_per_core_second"] =
      fasttext_json(computed[0], computed[1], texts)["texts_per_second"];
  write_file_atomically(options.out, result.dump(2) + "\n");
  print_result(result);
}

int run(int argc, char** argv) {
  CLI::App app("Texts a second of headroom predict beside its engine and fastText.", "bench-bulk");
  BulkOptions options;
  app.add_option("PROGRAM", options.program, "headroom")->required();
  app.add_option("MODEL", options.model, "checkpoint directory")->required();
  app.add_option("OUT", options.out, "a JSON file")->required();
  app.add_option("--data", options.data, "a known set; its test rows are scored");
  app.add_option("--data-dir", options.data_dir, "where known data sets lie")
      ->envname("HEADROOM_DATA");
  app.add_option("--budgets", options.budgets);
  app.add_option("--precision", options.precision);
  app.add_option("--threads", options.threads);
  app.add_option("--rounds", options.rounds);
  app.add_option("--seed", options.seed);
  CLI11_PARSE(app, argc, argv);
  try {
    measure(options);
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "bench-bulk: {}\n", error.what());
    return exit_code(error.code());
  }
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  return headroom::run(argc, argv);
}
