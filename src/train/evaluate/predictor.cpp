#include "train/evaluate/predictor.h"

#include <chrono>
#include <cmath>

#include "model/controller.h"
#include "model/slice.h"
#include "train/checkpoint_model.h"
#include "train/heads/objective.h"
#include "train/heads/rung_zero.h"
#include "train/rows/batches.h"
#include "train/runtime.h"

namespace headroom {
inline namespace train {

namespace {

void set_labels(const ModelConfig& config, const torch::Tensor& scores, Answer& answer) {
  const auto* values = scores.data_ptr<double>();
  answer.scores.assign(values, values + scores.numel());
  if (traits(config.task).output == OutputForm::tags) return;
  answer.label = static_cast<size_t>(scores.argmax(-1).item<int64_t>());
  if (traits(config.task).output != OutputForm::labels) return;
  for (size_t i = 0; i < answer.scores.size(); ++i) {
    if (answer.scores[i] >= config.output.threshold(i)) answer.labels.push_back(i);
  }
}

// What the outputs of one text, the only row, say; `answer.budget` is set.
void set_answer(const CheckpointModel& checkpoint, const StoredPolicy& policy,
                const EncodedDataset& row, const Batch& batch, const torch::Tensor& outputs,
                Answer& answer) {
  const ModelConfig& config = checkpoint.config;
  const ScoreCalibration calibration = calibration_of(policy, config, answer.budget);
  const torch::Tensor cpu = outputs.to(torch::kFloat64).to(torch::kCPU);
  switch (traits(config.task).output) {
    case OutputForm::labels:
      return set_labels(config, torch::sigmoid(calibrated(cpu, calibration)), answer);
    case OutputForm::score:
      answer.logit = calibration.apply(cpu.item<double>()) +
                     config.output.lexical_score(calibration, row.row(0));
      answer.score = config.task == Task::rerank ? 1 / (1 + std::exp(-answer.logit)) : answer.logit;
      return;
    case OutputForm::vector: {
      const torch::Tensor length = config.output.vector.normalize ? cpu.norm() : torch::ones({1});
      const torch::Tensor unit = (cpu / length).to(torch::kFloat32).flatten().contiguous();
      answer.embedding.assign(unit.data_ptr<float>(), unit.data_ptr<float>() + unit.numel());
      return;
    }
    default: {
      torch::Tensor logits = cpu / calibration.temperature;
      if (policy.rung_zero) {
        logits = with_rung_zero(logits, policy, calibration.lexical, batch, row);
      }
      set_labels(config, torch::softmax(logits, -1), answer);
    }
  }
}

}  // namespace

struct Predictor::State {
  CheckpointModel checkpoint;
  double budget;
  Selection selection;
  ModelWeights sliced;  // of an adaptive model: everything
  HeadLimit limit;      // adaptive
  StoredPolicy policy;
};

Predictor::Predictor(const std::filesystem::path& model, double budget, int threads,
                     const std::string& device) {
  use_threads(threads);
  CheckpointModel checkpoint = open_for_texts(model, open_device(device));
  Selection selection = checkpoint.config.selection(budget);
  const bool adaptive = checkpoint.config.adaptive();
  ModelWeights sliced =
      adaptive ? checkpoint.model.weights : slice_model(checkpoint.model.weights, selection);
  HeadLimit limit = adaptive ? checkpoint.config.head_limit(budget) : HeadLimit{};
  StoredPolicy policy = read_policy(model, checkpoint.config);
  state_.reset(new State{std::move(checkpoint), budget, std::move(selection), std::move(sliced),
                         std::move(limit), std::move(policy)});
}

Predictor::~Predictor() = default;

const ModelConfig& Predictor::config() const {
  return state_->checkpoint.config;
}

Answer Predictor::predict(const Text& text) const {
  const auto started = std::chrono::steady_clock::now();
  const torch::InferenceMode inference;
  const CheckpointModel& checkpoint = state_->checkpoint;
  const auto max_tokens = static_cast<int>(checkpoint.config.longest_input());
  EncodedDataset row;
  const Tokens tokens = checkpoint.tokenizer->tokens(text, max_tokens);
  row.append(tokens, 0);
  const int32_t first = 0;
  const Batch batch = make_batch(row, {&first, 1}, checkpoint.model.device());
  ChoiceTrace trace;
  ForwardOptions options = checkpoint.model.evaluation();
  if (checkpoint.config.adaptive()) {
    options.choose = choose_by_controller(state_->sliced, state_->limit, {}, &trace);
    options.skip = true;
  }
  const torch::Tensor outputs = forward(state_->sliced, batch, options);
  Answer answer;
  answer.budget = state_->budget;
  answer.active_ffn = state_->selection.active_ffn(checkpoint.config.shape.ffn);
  answer.tokens = batch.length();
  answer.active_heads = checkpoint.config.adaptive()
                            ? torch::stack(trace.chosen).mean().item<double>()
                            : state_->selection.active_fraction();
  set_answer(checkpoint, state_->policy, row, batch, outputs, answer);
  answer.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
  return answer;
}

}  // namespace train
}  // namespace headroom
