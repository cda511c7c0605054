// Every family beside Transformers and ONNX Runtime: writes families.json and families.md.
//   bench-families PROGRAM PEERS MODELS OUT      scripts/bench-families says what the options are
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <set>

#include "base/files/file.h"
#include "base/measure/machine.h"
#include "bench_program.h"
#include "data/load.h"
#include "families/equality.h"
#include "families/page.h"
#include "families/speed.h"
#include "families/training.h"
#include "text/pipeline/read_tokenizer.h"
#include "tokenizer_rate.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;

struct Options {
  std::string program;
  std::string peers;
  std::string models;
  std::string out;
  std::string commit;
  std::string data = "agnews:test";
  std::string data_dir = "data";
  std::vector<std::string> parts = {"equality", "speed", "tokenizers", "training"};
  int rounds = 41;
  int passes = 9;
};

// "BPE", "Unigram after Precompiled", ...
std::string tokenizer_kind(const std::string& tokenizer_json) {
  const SortedJson json = parse_sorted_json(tokenizer_json, ErrorCode::bad_model, "tokenizer.json");
  std::string kind = json.at("model").at("type").get<std::string>();
  const SortedJson& normalizer = json.at("normalizer");
  if (normalizer.is_null()) return kind;
  if (normalizer.at("type") != "Sequence") {
    return kind + " after " + normalizer.at("type").get<std::string>();
  }
  std::string names;
  for (const SortedJson& each : normalizer.at("normalizers")) {
    names += (names.empty() ? "" : ", ") + each.at("type").get<std::string>();
  }
  return kind + " after " + names;
}

// One of each kind.
Json time_tokenizers(const Options& options) {
  const TextDataset rows = load_text_dataset(options.data, options.data_dir);
  std::vector<std::string_view> lines;
  for (const TextRow& row : rows.rows) lines.emplace_back(row.text);
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(options.models)) {
    const fs::path file = entry.path() / "tokenizer.json";
    if (fs::exists(file)) files.insert(file);
  }
  std::set<std::string> kinds;
  Json results = Json::array();
  for (const fs::path& file : files) {
    const std::string text = read_file(file, ErrorCode::bad_model);
    const std::string kind = tokenizer_kind(text);
    if (!kinds.insert(kind).second) continue;
    const auto tokenizer = read_tokenizer({text, ""});
    const TokenizerRate rate = time_tokenizer(*tokenizer, lines, options.passes);
    results.push_back({{"kind", kind},
                       {"model", file.parent_path().filename().string()},
                       {"pieces", tokenizer->vocabulary().size()},
                       {"tokens", rate.tokens},
                       {"tokens_per_second",
                        {{"median", rate.tokens_per_second(0.5)},
                         {"slowest", rate.tokens_per_second(0)},
                         {"fastest", rate.tokens_per_second(1)}}}});
  }
  return results;
}

Json previous_results(const fs::path& file) {
  if (!fs::exists(file)) return Json::object();
  return parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, file.string());
}

int measure(const Options& options) {
  const std::map<std::string, std::function<Json()>> parts = {
      {"equality",
       [&] { return compare_with_transformers(options.models, options.program, options.peers); }},
      {"speed", [&] { return time_families(options.program, options.peers, options.rounds); }},
      {"tokenizers", [&] { return time_tokenizers(options); }},
      {"training", [&] { return train_families(options.models, options.data_dir); }}};
  const fs::path out = options.out;
  Json results = previous_results(out / "families.json");
  results["machine"] = describe_machine();
  results["recipe"] = {{"command", "make bench-families"},
                       {"rounds", options.rounds},
                       {"passes", options.passes},
                       {"tokenizer_texts", options.data}};
  for (const std::string& part : options.parts) {
    const Json rows = parts.at(part)();
    results[part] = {{"commit", options.commit}, {"date", today()}, {"rows", rows}};
    write_file_atomically(out / "families.json", results.dump(1) + "\n");
  }
  const std::string page = families_page(results);
  write_file_atomically(out / "families.md", page);
  fmt::print("{}", page);
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app("Every family beside Transformers and ONNX Runtime.", "bench-families");
  Options options;
  app.add_option("PROGRAM", options.program, "headroom")->required();
  app.add_option("PEERS", options.peers, "where ONNX Runtime is installed")->required();
  app.add_option("MODELS", options.models, "folders of Hugging Face models with an expected.json")
      ->required();
  app.add_option("OUT", options.out, "folder for families.json and families.md")->required();
  app.add_option("--commit", options.commit, "of this program");
  app.add_option("--data", options.data, "texts for tokenizers");
  app.add_option("--data-dir", options.data_dir, "where known data sets lie")
      ->envname("HEADROOM_DATA");
  app.add_option("--parts", options.parts, "what is measured; the rest stays as OUT has it")
      ->delimiter(',')
      ->check(CLI::IsMember(options.parts));
  app.add_option("--rounds", options.rounds);
  app.add_option("--passes", options.passes);
  CLI11_PARSE(app, argc, argv);
  return run_program("bench-families", [&] { return measure(options); });
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  return headroom::run(argc, argv);
}
