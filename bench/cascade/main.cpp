// What --budget auto gives: accuracy and measured time of policies that were fitted to a training
// set's validation rows, on test rows; how often its promise breaks on fresh rows; calibration
// error of every budget. Writes cascade.json, cascade.md and cascade.svg into a folder.
//   bench-cascade MODEL OUT      scripts/bench-cascade says what the options are
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>

#include "base/files/file.h"
#include "base/files/scratch_folder.h"
#include "base/measure/interleaved.h"
#include "base/measure/machine.h"
#include "base/precision.h"
#include "base/random.h"
#include "base/table.h"
#include "bench_program.h"
#include "cascade/peers.h"
#include "checkpoint/policy_file.h"
#include "data/encoded.h"
#include "data/load.h"
#include "data/split.h"
#include "report/plot/line_plot.h"
#include "tune/tune.h"

namespace headroom {
namespace {

struct CascadeOptions {
  std::string model;
  std::string out;
  std::string commit = "unknown";
  std::string note;  // what else a reader must know of the run
  std::string data = "agnews";
  std::string test = "agnews:test";
  std::string data_dir = "data";
  std::string precision = "fp32";
  std::string peers = "build/peers";
  std::vector<double> mean_budgets = {0.04, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3};
  std::vector<double> flat = {0, 0.125, 0.25, 0.5, 1};
  int64_t validation_rows = 2000;
  uint64_t split_seed = 1;
  size_t timed_texts = 512;
  int rounds = 7;
  int splits = 20;
};

struct Rows {
  TextDataset dataset;
  TuneRows encoded;
};

Rows read_rows(const EngineModel& model, const std::string& spec, const std::string& data_dir) {
  const ModelConfig& config = model.config();
  Rows rows{load_text_dataset(spec, data_dir, &config.labels), {}};
  for (const TextRow& row : rows.dataset.rows) {
    rows.encoded.inputs.push_back(tokenise(model, {row.text}));
  }
  rows.encoded.labels = rows.dataset.row_labels();
  return rows;
}

// One line of the page: a flat budget, a policy, or a peer.
struct Arm {
  std::string name;
  Budget budget = {};
  TuneReport report = {};                      // of a policy
  std::function<double(size_t)> time_ms = {};  // a peer's own measure, at a batch size
  double accuracy = 0;
  double agreement = 0;
  double mean_budget = 0;
  double time_share[2] = {1, 1};  // of dense's, at batch 1 and 32
  double us_per_text[2] = {0, 0};
};

std::vector<size_t> shuffled(size_t count, uint64_t seed) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  Random random{seed};
  random.shuffle(order);
  return order;
}

TuneReport fit(const ScoredRows& rows, const std::vector<size_t>& order,
               const TuneSettings& settings) {
  const auto half = order.begin() + static_cast<ptrdiff_t>(order.size() / 2);
  return fit_policy(pick_rows(rows, {order.begin(), half}), pick_rows(rows, {half, order.end()}),
                    settings);
}

ScoredRows without_rung_zero(ScoredRows rows) {
  rows.at_budgets.erase(rows.at_budgets.begin());
  return rows;
}

// The engine's own answers, so that what is counted is what ran.
void score(Session& session, const Rows& test, const std::vector<Answer>& full, Arm& arm) {
  const std::vector<Answer> answers = session.run(test.encoded.inputs, arm.budget);
  const double share = 1 / static_cast<double>(answers.size());
  for (size_t i = 0; i < answers.size(); ++i) {
    arm.accuracy += answers[i].label == static_cast<size_t>(test.encoded.labels[i]) ? share : 0;
    arm.agreement += answers[i].label == full[i].label ? share : 0;
    arm.mean_budget += share * answers[i].budget;
  }
}

// A copy of the checkpoint with this policy.
std::shared_ptr<Session> session_with(const std::filesystem::path& model,
                                      const std::filesystem::path& folder, const TuneReport& report,
                                      const NgramBag& bag, Precision precision) {
  std::filesystem::create_directories(folder);
  for (const char* name : {"config.json", "model.safetensors", "vocab.txt"}) {
    std::filesystem::copy_file(model / name, folder / name);
  }
  write_policy(folder, report.policy, bag);
  return std::make_shared<Session>(EngineModel::load(folder, {precision, {}}));
}

// Text in, answer out, tokenising included; every arm in every round. Peers, which come last, have
// no session and time themselves.
void time_arms(std::vector<Arm>& arms, const std::vector<std::shared_ptr<Session>>& sessions,
               const std::vector<Text>& texts, size_t batch, size_t column,
               const CascadeOptions& options) {
  std::vector<std::function<void()>> runs;
  std::vector<std::vector<double>> told(arms.size());
  for (size_t i = 0; i < arms.size(); ++i) {
    if (arms[i].time_ms) {
      runs.emplace_back([&, i] { told[i].push_back(arms[i].time_ms(batch)); });
      continue;
    }
    runs.emplace_back([&, i] {
      for (size_t begin = 0; begin < texts.size(); begin += batch) {
        const size_t count = std::min(batch, texts.size() - begin);
        sessions[i]->run(std::span(texts).subspan(begin, count), arms[i].budget);
      }
    });
  }
  auto times = time_interleaved(runs, 1, options.rounds, 1);
  for (size_t i = 0; i < arms.size(); ++i) {
    if (arms[i].time_ms)
      times[i].assign(told[i].begin() + 1, told[i].end());  // without the warm-up
  }
  size_t dense = 0;
  while (arms[dense].name != "1") ++dense;
  for (size_t i = 0; i < arms.size(); ++i) {
    arms[i].time_share[column] = median_ratio(times[i], times[dense]);
    arms[i].us_per_text[column] =
        1000 * quantile(times[i], 0.5) / static_cast<double>(texts.size());
  }
}

// How often a promise made with half of the rows is broken on the other half.
Json promise_splits(const ScoredRows& rows, const CascadeOptions& options) {
  TuneSettings settings;
  settings.promised = 0.99;
  int broken = 0;
  Json agreements = Json::array();
  double spent = 0;
  for (int split = 0; split < options.splits; ++split) {
    std::vector<size_t> order = shuffled(rows.size(), static_cast<uint64_t>(100 + split));
    const auto half = order.begin() + static_cast<ptrdiff_t>(order.size() / 2);
    const TuneReport report = fit(rows, {order.begin(), half}, settings);
    ScoredRows fresh = pick_rows(rows, {half, order.end()});
    const Policy& policy = report.policy;
    size_t same = 0;
    for (size_t row = 0; row < fresh.size(); ++row) {
      Scores previous;
      for (size_t rung = 0; rung < policy.rungs.size(); ++rung) {
        size_t at = 0;
        while (fresh.at_budgets[at].budget != policy.rungs[rung].budget) ++at;
        Scores scores = fresh.at_budgets[at].scores[row];
        apply_temperature(scores, policy.temperature_of(policy.rungs[rung].budget));
        spent += policy.rungs[rung].budget / static_cast<double>(fresh.size() * 20);
        const bool stop = policy.settles(rung, policy.top(), scores, previous);
        previous = std::move(scores);
        if (stop) break;
      }
      same += best_label(previous) == best_label(fresh.at_budgets.back().scores[row]) ? 1 : 0;
    }
    const double agreement = static_cast<double>(same) / static_cast<double>(fresh.size());
    agreements.push_back(agreement);
    if (agreement < settings.promised) ++broken;
  }
  return {{"agreement", settings.promised},
          {"splits", options.splits},
          {"broken", broken},
          {"fresh_rows", rows.size() - rows.size() / 2},
          {"tuned_rows", rows.size() / 2},
          {"mean_budget", spent * 20 / options.splits},
          {"fresh_agreements", agreements}};
}

Json calibration_errors(const TuneReport& report, const ScoredRows& test) {
  Json errors = Json::array();
  for (const BudgetScores& at : test.at_budgets) {
    std::vector<Scores> scores = at.scores;
    const double before = calibration_error(scores, test.labels);
    const double temperature = report.policy.temperature_of(at.budget);
    for (Scores& row : scores) apply_temperature(row, temperature);
    errors.push_back({{"budget", at.budget},
                      {"temperature", temperature},
                      {"before", before},
                      {"after", calibration_error(scores, test.labels)}});
  }
  return errors;
}

Json arm_json(const Arm& arm) {
  Json json = {{"arm", arm.name},
               {"accuracy", arm.accuracy},
               {"time_share_batch_1", arm.time_share[0]},
               {"time_share_batch_32", arm.time_share[1]},
               {"us_per_text_batch_1", arm.us_per_text[0]},
               {"us_per_text_batch_32", arm.us_per_text[1]}};
  if (!arm.time_ms) {
    json["agreement"] = arm.agreement;
    json["mean_budget"] = arm.mean_budget;
  }
  if (arm.budget.automatic) {
    json["confidence"] = confidence_table.name(arm.report.policy.confidence);
    json["rungs"] = Json::array();
    for (const Rung& rung : arm.report.policy.rungs) json["rungs"].push_back(rung.budget);
    json["reached_on_validation"] = arm.report.policy.levels.back().reached;
  }
  return json;
}

std::string rungs_text(const Arm& arm) {
  if (!arm.budget.automatic) return "";
  std::string text;
  for (const Rung& rung : arm.report.policy.rungs) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", rung.budget);
  }
  return text;
}

std::string page(const Json& result, const std::vector<Arm>& arms) {
  Table table{{"budget", "rungs", "accuracy", "agreement", "mean budget", "µs a text, batch 1",
               "of dense", "batch 32", "of dense"},
              {}};
  for (const Arm& arm : arms) {
    table.rows.push_back(
        {arm.name, rungs_text(arm), fmt::format("{:.2f}", 100 * arm.accuracy),
         arm.time_ms ? "" : fmt::format("{:.2f}", 100 * arm.agreement),
         arm.time_ms ? "" : fmt::format("{:.3f}", arm.mean_budget),
         fmt::format("{:.1f}", arm.us_per_text[0]), fmt::format("{:.3f}", arm.time_share[0]),
         fmt::format("{:.1f}", arm.us_per_text[1]), fmt::format("{:.3f}", arm.time_share[1])});
  }
  Table errors{{"budget", "temperature", "calibration error before", "after"}, {}};
  for (const Json& at : result["calibration"]) {
    errors.rows.push_back({fmt::format("{}", at["budget"].get<double>()),
                           fmt::format("{:.3f}", at["temperature"].get<double>()),
                           fmt::format("{:.4f}", at["before"].get<double>()),
                           fmt::format("{:.4f}", at["after"].get<double>())});
  }
  const Json& promise = result["promise"];
  return fmt::format(
      "# --budget auto on {}\n\n"
      "Written by `make bench-cascade`; [cascade.json](cascade.json) has the numbers. {}, {}, one "
      "thread, {}, commit {}.{}\n\n"
      "Rung zero was distilled from {} training rows; temperatures and ladders were fitted to {} "
      "rows of the training set that the model was not trained on; accuracy is over {} test rows. "
      "Times include tokenising, but for ONNX Runtime's, and no loading: {} test texts, {} rounds "
      "of all arms in shuffled order, medians.\n\n"
      "![accuracy against time](cascade.svg)\n\n{}\n"
      "## Does the promise hold?\n\n"
      "`--agreement {}`, tuned on {} test rows and tried on the other {}, {} random splits: "
      "broken {} times, at a mean budget of {:.3f}.\n\n"
      "## Calibration\n\nExpected calibration error on the test rows, 15 bins.\n\n{}",
      result["test"].get<std::string>(), result["machine"]["cpu"].get<std::string>(),
      result["precision"].get<std::string>(), result["date"].get<std::string>(),
      result["commit"].get<std::string>(),
      result.contains("note") ? " " + result["note"].get<std::string>() : "",
      result["distilled_rows"].get<int64_t>(), result["validation_rows"].get<int64_t>(),
      result["test_rows"].get<int64_t>(), result["timed_texts"].get<int64_t>(),
      result["rounds"].get<int>(), markdown(table), promise["agreement"].get<double>(),
      promise["tuned_rows"].get<int64_t>(), promise["fresh_rows"].get<int64_t>(),
      promise["splits"].get<int>(), promise["broken"].get<int>(),
      promise["mean_budget"].get<double>(), markdown(errors));
}

std::string plot(const std::vector<Arm>& arms, const std::string& test) {
  report::LinePlot plot;
  plot.title = "Accuracy against measured time, " + test;
  plot.x_label = "microseconds a text, one thread, one text at a time";
  plot.x_format = report::ValueFormat::exponent;
  plot.y_label = "accuracy";
  plot.y_format = report::ValueFormat::percent;
  plot.series = {{"flat budgets", {}, {}, {}, {}},
                 {"auto", {}, {}, {}, {}},
                 {"auto without rung zero", {}, {}, {}, {}}};
  for (const Arm& arm : arms) {
    size_t series = 0;
    if (arm.time_ms) {
      series = plot.series.size();
      plot.series.push_back({arm.name, {}, {}, {}, {}, true});
    } else if (arm.budget.automatic) {
      series = arm.report.policy.rungs.front().budget == 0 ? 1 : 2;
    }
    plot.series[series].x.push_back(std::log10(arm.us_per_text[0]));
    plot.series[series].y.push_back(arm.accuracy);
  }
  std::erase_if(plot.series, [](const report::Series& series) { return series.x.empty(); });
  return report::draw(plot);
}

int run_cascade(const CascadeOptions& options) {
  const Precision precision = precision_table.parse(options.precision);
  EngineOptions raw{precision};
  raw.without_policy = true;
  const auto model = EngineModel::load(options.model, raw);
  Session session(model);
  SilentProgress silent;
  const Rows train = read_rows(*model, options.data, options.data_dir);
  const Rows test = read_rows(*model, options.test, options.data_dir);
  const SplitIndices split =
      split_stratified(train.encoded.labels, options.validation_rows, options.split_seed);
  std::vector<Tokens> distilled;
  for (const int32_t row : split.train) {
    distilled.push_back(train.encoded.inputs[static_cast<size_t>(row)]);
  }
  TuneRows validation;
  for (const int32_t row : split.validation) {
    validation.inputs.push_back(train.encoded.inputs[static_cast<size_t>(row)]);
    validation.labels.push_back(train.encoded.labels[static_cast<size_t>(row)]);
  }
  const std::optional<NgramBag> bag = distil(session, distilled, {}, silent);
  const std::vector<double> budgets = {0.125, 0.25, 0.5, 1};
  const ScoredRows fitted = score_rows(session, validation, bag, budgets, silent);
  const ScoredRows tested = score_rows(session, test.encoded, bag, budgets, silent);

  std::vector<Arm> arms;
  for (const double budget : options.flat)
    arms.push_back({fmt::format("{}", budget), Budget{budget}});
  const std::vector<size_t> order = shuffled(fitted.size(), 1);
  for (const bool with_zero : {true, false}) {
    for (const double mean : options.mean_budgets) {
      if (!with_zero && mean < 0.15) continue;  // below its first rung
      TuneSettings settings;
      settings.promise = Promise::mean_budget;
      settings.promised = mean;
      Arm arm{fmt::format("auto, mean {}{}", mean, with_zero ? "" : ", no rung zero"),
              {.automatic = true}};
      arm.report = fit(with_zero ? fitted : without_rung_zero(fitted), order, settings);
      arms.push_back(std::move(arm));
    }
  }
  const ScratchFolder scratch;
  std::vector<std::shared_ptr<Session>> sessions;
  const std::vector<Answer> full = session.run(test.encoded.inputs, Budget{});
  for (Arm& arm : arms) {
    const TuneReport& report = arm.budget.automatic ? arm.report : arms.back().report;
    sessions.push_back(session_with(options.model, scratch.path() / std::to_string(sessions.size()),
                                    report, *bag, precision));
    score(*sessions.back(), test, full, arm);
  }
  std::vector<Text> texts;
  for (size_t i = 0; i < std::min(options.timed_texts, test.encoded.inputs.size()); ++i) {
    texts.push_back({test.dataset.rows[i].text});
  }
  PeerTask task{options.model, options.peers,       train.dataset,
                test.dataset,  test.encoded.inputs, texts.size()};
  task.train.rows.clear();
  for (const int32_t row : split.train) {
    task.train.rows.push_back(train.dataset.rows[static_cast<size_t>(row)]);
  }
  const TuneReport last_fit = arms.back().report;
  for (const Peer& peer : find_peers(task)) {
    arms.push_back({.name = peer.name, .time_ms = peer.time_ms, .accuracy = peer.accuracy});
  }
  time_arms(arms, sessions, texts, 1, 0, options);
  time_arms(arms, sessions, texts, 32, 1, options);

  Json result = {{"date", today()},
                 {"commit", options.commit},
                 {"machine", describe_machine()},
                 {"precision", options.precision},
                 {"model", folder_name(options.model)},
                 {"data", options.data},
                 {"test", options.test},
                 {"distilled_rows", distilled.size()},
                 {"validation_rows", validation.inputs.size()},
                 {"test_rows", test.encoded.inputs.size()},
                 {"timed_texts", texts.size()},
                 {"rounds", options.rounds},
                 {"rung_zero_bytes", bag->weights.size() + 4 * bag->scales.size()},
                 {"arms", Json::array()}};
  if (!options.note.empty()) result["note"] = options.note;
  for (const Arm& arm : arms) result["arms"].push_back(arm_json(arm));
  result["promise"] = promise_splits(tested, options);
  result["calibration"] = calibration_errors(last_fit, tested);
  for (Json& at : result["calibration"]) {  // the last arm knows no rung zero
    if (at["budget"] == 0) at = calibration_errors(arms[options.flat.size()].report, tested)[0];
  }
  const std::filesystem::path out = options.out;
  write_file_atomically(out / "cascade.json", result.dump(1) + "\n");
  write_file_atomically(out / "cascade.svg", plot(arms, options.test));
  const std::string text = page(result, arms);
  write_file_atomically(out / "cascade.md", text);
  fmt::print("{}", text);
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  headroom::CascadeOptions options;
  CLI::App app("What --budget auto gives.", "bench-cascade");
  app.add_option("MODEL", options.model)->required();
  app.add_option("OUT", options.out, "a folder")->required();
  app.add_option("--commit", options.commit, "told in the results");
  app.add_option("--note", options.note, "likewise, a sentence");
  app.add_option("--data", options.data, "what the model was trained on");
  app.add_option("--test", options.test);
  app.add_option("--data-dir", options.data_dir)->envname("HEADROOM_DATA");
  app.add_option("--precision", options.precision);
  app.add_option("--peers", options.peers, "where scripts/install-peers put ONNX Runtime");
  app.add_option("--validation-rows", options.validation_rows);
  app.add_option("--split-seed", options.split_seed);
  app.add_option("--mean-budgets", options.mean_budgets)->delimiter(',');
  app.add_option("--texts", options.timed_texts, "timed");
  app.add_option("--rounds", options.rounds);
  CLI11_PARSE(app, argc, argv);
  return headroom::run_program("bench-cascade", [&] { return headroom::run_cascade(options); });
}
