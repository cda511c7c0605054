#include "engine/answers/choose_precision.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/measure/cosine.h"
#include "base/measure/interleaved.h"
#include "base/measure/machine.h"
#include "base/precision.h"
#include "budget/bench_cell.h"
#include "engine/session.h"

namespace headroom {
namespace {

constexpr uint64_t seed = 1;
constexpr int64_t input_count = 48;
constexpr int rounds = 21;
constexpr int warmup = 3;

// 6 to 53 tokens, as far as the model reads.
std::vector<Tokens> random_inputs(const ModelConfig& config) {
  std::vector<Tokens> inputs;
  for (int64_t i = 0; i < input_count; ++i) {
    const int64_t tokens = std::min(config.longest_input(), 6 + i);
    inputs.push_back(
        {random_ids(config.shape.vocabulary, tokens, seed + static_cast<uint64_t>(i))});
  }
  return inputs;
}

std::vector<double> tried_budgets(const ModelConfig& config) {
  return config.elastic() ? std::vector{0.25, 0.5, 1.0} : std::vector{1.0};
}

// All answers of one precision, budget by budget.
std::vector<Answer> answer_all(Session& session, const std::vector<Tokens>& inputs) {
  std::vector<Answer> all;
  for (const double budget : tried_budgets(session.model().config())) {
    if (interrupt_requested()) throw Error(ErrorCode::interrupted, "choose precision", "stopped");
    std::vector<Answer> answers = session.run(inputs, Budget{budget});
    std::move(answers.begin(), answers.end(), std::back_inserter(all));
  }
  return all;
}

double range_of(const std::vector<Answer>& answers) {
  const auto [low, high] =
      std::minmax_element(answers.begin(), answers.end(),
                          [](const Answer& a, const Answer& b) { return a.score < b.score; });
  return std::max(high->score - low->score, 1e-6);
}

void compare(OutputForm form, const std::vector<Answer>& reference,
             const std::vector<Answer>& answers, size_t labels, PrecisionChoice& choice) {
  const double range = range_of(reference);
  size_t same = 0;
  for (size_t i = 0; i < reference.size(); ++i) {
    const double difference = answer_difference(form, reference[i], answers[i], range);
    choice.difference = std::max(choice.difference, difference);
    same += same_answer(form, reference[i], answers[i], labels) ? 1 : 0;
  }
  choice.inputs = static_cast<int64_t>(reference.size());
  choice.agreement = static_cast<double>(same) / static_cast<double>(reference.size());
}

}  // namespace

double answer_difference(OutputForm form, const Answer& a, const Answer& b, double range) {
  if (form == OutputForm::vector) return 1 - cosine(a.embedding, b.embedding);
  if (form == OutputForm::score) return std::abs(a.score - b.score) / range;
  double most = 0;
  for (size_t i = 0; i < a.scores.size(); ++i) {
    most = std::max(most, std::abs(a.scores[i] - b.scores[i]));
  }
  return most;
}

bool same_answer(OutputForm form, const Answer& a, const Answer& b, size_t labels) {
  if (form == OutputForm::label) return a.label == b.label;
  if (form == OutputForm::labels) return a.labels == b.labels;
  if (form != OutputForm::tags) return true;
  const auto best = [&](const Answer& answer, size_t token) {
    const auto first = answer.scores.begin() + static_cast<std::ptrdiff_t>(token * labels);
    return std::max_element(first, first + static_cast<std::ptrdiff_t>(labels)) - first;
  };
  for (size_t token = 0; token < a.scores.size() / labels; ++token) {
    if (best(a, token) != best(b, token)) return false;
  }
  return true;
}

PrecisionChoice choose_precision(const std::filesystem::path& checkpoint, const ModelConfig& config,
                                 ProgressSink& progress) {
  const OutputForm form = traits(config.task).output;
  const std::vector<Tokens> inputs = random_inputs(config);
  const Tokens timed{
      random_ids(config.shape.vocabulary, std::min<int64_t>(config.longest_input(), 64), seed)};
  std::vector<PrecisionChoice> choices;
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<std::function<void()>> runs;
  std::vector<Answer> reference;
  ProgressUpdate update;
  update.stage = "precision";
  update.unit = "precisions";
  update.total = static_cast<int64_t>(precision_table.entries.size());
  for (const auto& entry : precision_table.entries) {  // fp32 comes first
    EngineOptions options;
    options.precision = entry.value;
    options.without_policy = true;
    sessions.push_back(std::make_unique<Session>(EngineModel::load(checkpoint, config, options)));
    Session& session = *sessions.back();
    choices.push_back({cpu_name(), today(), entry.value});
    const std::vector<Answer> answers = answer_all(session, inputs);
    if (reference.empty()) reference = answers;
    compare(form, reference, answers, config.labels.size(), choices.back());
    runs.emplace_back([&session, &timed] { session.run(std::span(&timed, 1), Budget{}); });
    ++update.done;
    progress.update(update);
  }
  // Of a busy machine, undisturbed runs: the fastest tenth of each.
  std::vector<double> fast;
  for (auto& times : time_interleaved(runs, warmup, rounds, seed)) {
    fast.push_back(quantile(std::move(times), 0.1));
  }
  const double bound = form == OutputForm::vector ? most_vector_difference : most_difference;
  size_t best = 0;
  for (size_t i = 1; i < choices.size(); ++i) {
    choices[i].speedup = fast[0] / fast[i];
    const bool agrees = choices[i].difference <= bound;
    if (agrees && choices[i].speedup >= least_speedup &&
        choices[i].speedup > choices[best].speedup) {
      best = i;
    }
  }
  return choices[best];
}

}  // namespace headroom
