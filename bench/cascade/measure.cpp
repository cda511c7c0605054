#include "cascade/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <system_error>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/scratch_folder.h"
#include "base/measure/interleaved.h"
#include "base/measure/machine.h"
#include "base/precision.h"
#include "cascade/climb.h"
#include "cascade/confidences.h"
#include "cascade/early_exit.h"
#include "cascade/fit.h"
#include "cascade/peers.h"
#include "checkpoint/policy_file.h"
#include "data/catalog/spec_name.h"
#include "data/encoded.h"
#include "data/load.h"
#include "data/split.h"
#include "tune/session_model.h"
#include "tune/tune.h"

namespace headroom {
namespace {

const std::vector<double> rung_budgets = {0.125, 0.25, 0.5, 1};
constexpr size_t batch_sizes[2] = {1, 32};

struct LabelledRows {
  TextDataset dataset;
  TuneRows encoded;
};

LabelledRows read_rows(const EngineModel& model, const std::string& spec,
                       const std::string& data_dir) {
  const ModelConfig& config = model.config();
  LabelledRows rows{load_text_dataset(spec, data_dir, &config.labels), {}};
  if (rows.dataset.pairs) {
    throw Error(ErrorCode::usage, "read rows", spec + " has two texts a row, bench-cascade one");
  }
  for (const TextRow& row : rows.dataset.rows) {
    rows.encoded.inputs.push_back(tokenise(model, {row.text}));
  }
  rows.encoded.labels = rows.dataset.row_labels();
  return rows;
}

TuneRows pick_inputs(const TuneRows& rows, const std::vector<int32_t>& chosen) {
  TuneRows picked;
  for (const int32_t row : chosen) {
    picked.inputs.push_back(rows.inputs[static_cast<size_t>(row)]);
    picked.labels.push_back(rows.labels[static_cast<size_t>(row)]);
  }
  return picked;
}

// A flat budget, a ladder, or a peer.
struct Arm {
  std::string name;
  std::string kind;
  Budget budget = {};
  double promised = 0;                         // mean budget of a ladder
  TuneReport report = {};                      // of a ladder, and where rung zero has a say
  std::vector<Climbed> climbed = {};           // test rows; none of a peer
  std::shared_ptr<Session> session = {};       // none of a peer
  std::function<double(size_t)> time_ms = {};  // a peer's own measure, at a batch size
  double accuracy = 0;
  double agreement = 0;
  double mean_budget = 0;
  double time_share[2] = {1, 1};  // of dense's, by batch_sizes
  double us_per_text[2] = {0, 0};
};

// The same temperatures, and answers of the model alone.
TuneReport without_blends(TuneReport report) {
  for (ScoreCalibration& each : report.policy.temperatures) each.lexical = 0;
  return report;
}

ScoredRows without_rung_zero(ScoredRows rows) {
  rows.at_budgets.erase(rows.at_budgets.begin());
  return rows;
}

// Ladders for every mean budget that can be kept.
std::vector<Arm> fit_ladders(const ScoredRows& fitted, const std::vector<double>& mean_budgets,
                             bool with_zero) {
  const ScoredRows rows = with_zero ? fitted : without_rung_zero(fitted);
  const std::vector<size_t> order = shuffled(rows.size(), 1);
  std::vector<Arm> arms;
  for (const double mean : mean_budgets) {
    TuneSettings settings;
    settings.promise = Promise::mean_budget;
    settings.promised = mean;
    Arm arm{fmt::format("auto, mean {}{}", mean, with_zero ? "" : ", no rung zero"),
            with_zero ? "auto" : "auto without rung zero",
            {.automatic = true},
            mean};
    try {
      arm.report = fit_ladder(rows, order, settings);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::target_unreachable) throw;
      fmt::print(stderr, "{}: {}\n", arm.name, error.what());
      continue;
    }
    arms.push_back(std::move(arm));
  }
  return arms;
}

void score(const ScoredRows& tested, Arm& arm) {
  const std::vector<Scores>& full = tested.at_budgets.back().scores;
  if (arm.budget.automatic) {
    arm.climbed = climb(arm.report.policy, tested);
  } else {
    size_t at = 0;
    while (tested.at_budgets[at].budget != arm.budget.fraction) ++at;
    for (size_t row = 0; row < tested.size(); ++row) {
      const Scores scores = arm.kind == "flat" ? tested.at_budgets[at].scores[row]
                                               : answered(arm.report.policy, tested, at, row);
      arm.climbed.push_back({best_label(scores), arm.budget.fraction});
    }
  }
  const double share = 1 / static_cast<double>(tested.size());
  for (size_t row = 0; row < tested.size(); ++row) {
    arm.accuracy += arm.climbed[row].label == static_cast<size_t>(tested.labels[row]) ? share : 0;
    arm.agreement += arm.climbed[row].label == best_label(full[row]) ? share : 0;
    arm.mean_budget += share * arm.climbed[row].budget;
  }
}

// The checkpoint's files, with this policy beside them.
std::shared_ptr<Session> session_with(const std::filesystem::path& model,
                                      const std::filesystem::path& folder, const TuneReport& report,
                                      const NgramBag& bag, Precision precision) {
  std::filesystem::create_directories(folder);
  for (const char* name : {"config.json", "model.safetensors", "vocab.txt", "tokenizer.json"}) {
    if (!std::filesystem::exists(model / name)) continue;
    std::error_code elsewhere;  // on another file system
    std::filesystem::create_hard_link(model / name, folder / name, elsewhere);
    if (elsewhere) std::filesystem::copy_file(model / name, folder / name);
  }
  write_policy(folder, report.policy, bag);
  return std::make_shared<Session>(EngineModel::load(folder, {precision, {}}));
}

void run_in_batches(Session& session, std::span<const Text> texts, size_t batch,
                    const Budget& budget) {
  for (size_t begin = 0; begin < texts.size(); begin += batch) {
    session.run(texts.subspan(begin, std::min(batch, texts.size() - begin)), budget);
  }
}

// As many as `seconds` allow, by the time of the full model. They are spread evenly over how sure
// rung zero is of them, so that a small sample climbs as often as all test rows do.
std::vector<size_t> choose_timed(Session& session, const LabelledRows& test,
                                 const ScoredRows& tested, const std::vector<Arm>& arms,
                                 const CascadeOptions& options) {
  constexpr size_t tried = 16;
  constexpr double overhead = 0.1;  // of dense's time, of a ladder's above its mean budget
  std::vector<Text> texts;
  for (size_t i = 0; i < std::min(tried, test.dataset.rows.size()); ++i) {
    texts.push_back({test.dataset.rows[i * test.dataset.rows.size() / tried].text});
  }
  run_in_batches(session, texts, 1, {});
  const auto started = std::chrono::steady_clock::now();
  run_in_batches(session, texts, 1, {});
  const double dense =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count() /
      static_cast<double>(texts.size());
  double all = 0;
  for (const Arm& arm : arms) all += arm.mean_budget + overhead;
  const double affordable = options.seconds / (dense * all * 2 * (options.rounds + 1));
  const size_t count = std::min(
      {options.timed_texts, tested.size(), std::max<size_t>(32, static_cast<size_t>(affordable))});
  std::vector<size_t> by_confidence(tested.size());
  std::iota(by_confidence.begin(), by_confidence.end(), size_t{0});
  const std::vector<Scores>& zero = tested.at_budgets.front().scores;
  std::stable_sort(by_confidence.begin(), by_confidence.end(), [&](size_t a, size_t b) {
    return zero[a][best_label(zero[a])] < zero[b][best_label(zero[b])];
  });
  std::vector<size_t> chosen;
  for (const size_t i : shuffled(count, 1)) {
    chosen.push_back(by_confidence[(2 * i + 1) * tested.size() / (2 * count)]);
  }
  return chosen;
}

// Text in, answer out, tokenising included; every arm in every round.
void time_arms(std::vector<Arm>& arms, const std::vector<Text>& texts, size_t column, int rounds) {
  const size_t batch = batch_sizes[column];
  std::vector<std::function<void()>> runs;
  std::vector<std::vector<double>> told(arms.size());
  for (size_t i = 0; i < arms.size(); ++i) {
    if (arms[i].time_ms) {
      runs.emplace_back([&, i] { told[i].push_back(arms[i].time_ms(batch)); });
    } else {
      runs.emplace_back([&, i] { run_in_batches(*arms[i].session, texts, batch, arms[i].budget); });
    }
  }
  auto times = time_interleaved(runs, 1, rounds, 1);
  size_t dense = 0;
  for (size_t i = 0; i < arms.size(); ++i) {
    if (arms[i].time_ms)
      times[i].assign(told[i].begin() + 1, told[i].end());  // without the warm-up
    if (arms[i].name == "1") dense = i;
  }
  for (size_t i = 0; i < arms.size(); ++i) {
    arms[i].time_share[column] = median_ratio(times[i], times[dense]);
    arms[i].us_per_text[column] =
        1000 * quantile(times[i], 0.5) / static_cast<double>(texts.size());
  }
}

// Timed texts for which the engine answered otherwise than `climbed` says: there should be none.
size_t differing_answers(const std::vector<Arm>& arms, const std::vector<Text>& texts,
                         const std::vector<size_t>& timed) {
  size_t differing = 0;
  for (const Arm& arm : arms) {
    if (!arm.session) continue;
    const std::vector<Answer> answers = arm.session->run(texts, arm.budget);
    for (size_t i = 0; i < timed.size(); ++i) {
      const Climbed& expected = arm.climbed[timed[i]];
      const bool same = answers[i].label == expected.label &&
                        std::abs(answers[i].budget - expected.budget) < 1e-9;
      differing += same ? 0 : 1;
    }
  }
  return differing;
}

// `--agreement 0.99` takes 299 rows held back, a quarter of all.
constexpr size_t rows_to_prove = 1200;

// How often a promise made with half of the rows is broken on the other half.
Json promise_splits(const ScoredRows& rows, const CascadeOptions& options) {
  TuneSettings settings;
  settings.promised = 0.99;
  if (rows.size() < rows_to_prove) return nullptr;
  int broken = 0;
  Json agreements = Json::array();
  double spent = 0;
  for (int split = 0; split < options.splits; ++split) {
    std::vector<size_t> order = shuffled(rows.size(), static_cast<uint64_t>(100 + split));
    const auto half = order.begin() + static_cast<ptrdiff_t>(order.size() / 2);
    const TuneReport report = fit_ladder(rows, {order.begin(), half}, settings);
    const ScoredRows fresh = pick_rows(rows, {half, order.end()});
    const size_t last = fresh.at_budgets.size() - 1;
    const std::vector<Climbed> climbed = climb(report.policy, fresh);
    const auto count = static_cast<double>(fresh.size());
    double agreement = 0;
    for (size_t row = 0; row < fresh.size(); ++row) {
      const size_t full = best_label(answered(report.policy, fresh, last, row));
      agreement += climbed[row].label == full ? 1 / count : 0;
      spent += climbed[row].budget / (count * options.splits);
    }
    agreements.push_back(agreement);
    if (agreement < settings.promised) ++broken;
  }
  return {{"agreement", settings.promised},
          {"splits", options.splits},
          {"broken", broken},
          {"fresh_rows", rows.size() - rows.size() / 2},
          {"tuned_rows", rows.size() / 2},
          {"mean_budget", spent},
          {"fresh_agreements", agreements}};
}

Json calibration_errors(const Policy& policy, const ScoredRows& test) {
  Json errors = Json::array();
  for (size_t at = 0; at < test.at_budgets.size(); ++at) {
    const double budget = test.at_budgets[at].budget;
    std::vector<Scores> scores;
    for (size_t row = 0; row < test.size(); ++row) {
      scores.push_back(answered(policy, test, at, row));
    }
    errors.push_back({{"budget", budget},
                      {"temperature", policy.temperature_of(budget)},
                      {"rung_zero", policy.rung_zero_weight(budget)},
                      {"before", calibration_error(test.at_budgets[at].scores, test.labels)},
                      {"after", calibration_error(scores, test.labels)}});
  }
  return errors;
}

Json arm_json(const Arm& arm, const std::vector<size_t>& timed) {
  Json json = {{"arm", arm.name},
               {"kind", arm.kind},
               {"accuracy", arm.accuracy},
               {"time_share_batch_1", arm.time_share[0]},
               {"time_share_batch_32", arm.time_share[1]},
               {"us_per_text_batch_1", arm.us_per_text[0]},
               {"us_per_text_batch_32", arm.us_per_text[1]}};
  if (arm.session) {
    json["agreement"] = arm.agreement;
    json["mean_budget"] = arm.mean_budget;
    double timed_budget = 0;
    for (const size_t row : timed) timed_budget += arm.climbed[row].budget;
    json["mean_budget_timed"] = timed_budget / static_cast<double>(timed.size());
  }
  if (arm.budget.automatic) {
    const Policy& policy = arm.report.policy;
    json["promised"] = arm.promised;
    json["confidence"] = confidence_table.name(policy.confidence);
    json["rungs"] = Json::array();
    for (const Rung& rung : policy.rungs) json["rungs"].push_back(rung.budget);
    json["reached_on_validation"] = policy.levels.back().reached;
  }
  return json;
}

std::vector<Arm> peer_arms(const CascadeOptions& options, const LabelledRows& train,
                           const LabelledRows& test, const SplitIndices& split,
                           const std::vector<size_t>& timed) {
  if (options.peers.empty()) return {};
  PeerTask task{options.model, options.peers,       train.dataset,
                test.dataset,  test.encoded.inputs, timed};
  task.train.rows.clear();
  for (const int32_t row : split.train) {
    task.train.rows.push_back(train.dataset.rows[static_cast<size_t>(row)]);
  }
  std::vector<Arm> arms;
  for (const Peer& peer : find_peers(task)) {
    arms.push_back(
        {.name = peer.name, .kind = "peer", .time_ms = peer.time_ms, .accuracy = peer.accuracy});
  }
  return arms;
}

}  // namespace

Json measure_cascade(const CascadeOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  const auto say = [&](const char* stage) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
    fmt::print(stderr, "{:6.1f} s  {}\n", passed.count(), stage);
  };
  const std::string test_spec = options.test.empty() ? options.data + ":test" : options.test;
  const Precision precision = precision_table.parse(options.precision);
  EngineOptions raw{precision};
  raw.without_policy = true;
  const auto model = EngineModel::load(options.model, raw);
  Session session(model, options.threads);
  SilentProgress silent;
  const LabelledRows train = read_rows(*model, options.data, options.data_dir);
  const LabelledRows test = read_rows(*model, test_spec, options.data_dir);
  const auto rows = static_cast<int64_t>(train.encoded.inputs.size());
  // As `train` counts them where nothing else is asked.
  const int64_t set_aside = options.validation_rows > 0 ? options.validation_rows
                                                        : std::clamp<int64_t>(rows / 10, 1, 2000);
  const SplitIndices split = split_stratified(train.encoded.labels, set_aside, options.seed);
  const TuneRows distilled = pick_inputs(train.encoded, split.train);
  const TuneRows validation = pick_inputs(train.encoded, split.validation);
  say("distilling rung zero");
  const std::optional<NgramBag> bag = distil(tunable_model(session), distilled.inputs, {}, silent);
  say("scoring rows");
  const ScoredRows fitted =
      score_rows(tunable_model(session), validation, bag, rung_budgets, silent);
  const ScoredRows tested =
      score_rows(tunable_model(session), test.encoded, bag, rung_budgets, silent);

  say("fitting ladders");
  std::vector<Arm> arms;
  for (const double budget : options.flat) {
    arms.push_back({fmt::format("{}", budget), "flat", Budget{budget}});
  }
  for (const bool with_zero : {true, false}) {
    const auto& means = with_zero ? options.mean_budgets : options.mean_budgets_without_zero;
    for (Arm& arm : fit_ladders(fitted, means, with_zero)) arms.push_back(std::move(arm));
  }
  // Temperatures of all budgets, rung zero's among them; the same whatever is promised.
  const auto any =
      std::find_if(arms.begin(), arms.end(), [](const Arm& arm) { return arm.kind == "auto"; });
  if (any == arms.end()) {
    throw Error(ErrorCode::target_unreachable, "bench-cascade",
                fmt::format("no mean budget could be kept on {} validation rows", fitted.size()));
  }
  const TuneReport report = any->report;
  const ScratchFolder scratch;
  for (const double budget : options.flat) {
    if (budget == 0) continue;
    arms.push_back(
        {fmt::format("{} with rung zero", budget), "flat with rung zero", Budget{budget}});
    arms.back().report = report;
  }
  const auto flat =
      session_with(options.model, scratch.path() / "flat", without_blends(report), *bag, precision);
  const auto with_zero =
      session_with(options.model, scratch.path() / "flat with rung zero", report, *bag, precision);
  for (Arm& arm : arms) {
    score(tested, arm);
    arm.session = arm.kind == "flat"     ? flat
                  : arm.budget.automatic ? session_with(options.model, scratch.path() / arm.name,
                                                        arm.report, *bag, precision)
                                         : with_zero;
  }
  say("timing");
  const std::vector<size_t> timed = choose_timed(*flat, test, tested, arms, options);
  std::vector<Text> texts;
  texts.reserve(timed.size());
  for (const size_t row : timed) texts.push_back({test.dataset.rows[row].text});
  const ExitTask exits{options.model, precision, options.threads, distilled,          validation,
                       test.encoded,  texts,     timed,           options.mean_layers};
  for (const Peer& exit : early_exits(exits)) {
    arms.push_back({.name = exit.name,
                    .kind = "early exit",
                    .time_ms = exit.time_ms,
                    .accuracy = exit.accuracy});
  }
  for (Arm& arm : peer_arms(options, train, test, split, timed)) arms.push_back(std::move(arm));
  for (const size_t column : {0, 1}) time_arms(arms, texts, column, options.rounds);

  Json result = {{"date", today()},
                 {"commit", options.commit},
                 {"machine", describe_machine()},
                 {"precision", options.precision},
                 {"base", options.base.empty() ? folder_name(options.model) : options.base},
                 {"seed", options.seed},
                 {"data", data_name(options.data)},
                 {"test", data_name(test_spec)},
                 {"distilled_rows", distilled.inputs.size()},
                 {"validation_rows", validation.inputs.size()},
                 {"test_rows", test.encoded.inputs.size()},
                 {"timed_texts", texts.size()},
                 {"rounds", options.rounds},
                 {"blends", report.policy.blends()},
                 {"rung_zero_bytes", bag->weights.size() + 4 * bag->scales.size()},
                 {"differing_answers", differing_answers(arms, texts, timed)},
                 {"arms", Json::array()}};
  if (!options.note.empty()) result["note"] = options.note;
  for (const Arm& arm : arms) result["arms"].push_back(arm_json(arm, timed));
  say("comparing confidences");
  result["confidences"] = compare_confidences(fitted, tested);
  say("trying the promise");
  result["promise"] = promise_splits(tested, options);
  result["calibration"] = calibration_errors(report.policy, tested);
  say("done");
  return result;
}

}  // namespace headroom
