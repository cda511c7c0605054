#include "cascade/early_exit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/files/scratch_folder.h"
#include "base/random.h"
#include "budget/ladder/confidence.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/sliced_tensors.h"
#include "engine/session.h"
#include "tune/temperature.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr int epochs = 4;
constexpr size_t batch_rows = 32;
constexpr float adam_rate = 5e-4F;

// A matrix and its bias under Adam.
class Linear {
 public:
  Linear(const SafetensorsFile& file, const std::string& weight, const std::string& bias)
      : weights_(file.read_f32(weight)),
        gradients_(weights_.size()),
        moments_(weights_.size()),
        squares_(weights_.size()),
        inputs_(static_cast<size_t>(file.shape(weight)[1])) {
    const std::vector<float> biases = file.read_f32(bias);
    outputs_ = biases.size();
    weights_.insert(weights_.end(), biases.begin(), biases.end());
    for (auto* each : {&gradients_, &moments_, &squares_}) each->resize(weights_.size());
  }

  std::span<const float> matrix() const { return std::span(weights_).first(inputs_ * outputs_); }
  std::span<const float> bias() const { return std::span(weights_).subspan(inputs_ * outputs_); }

  void forward(std::span<const float> x, std::vector<float>& y) const {
    y.assign(bias().begin(), bias().end());
    for (size_t out = 0; out < outputs_; ++out) {
      const float* row = &weights_[out * inputs_];
      float sum = 0;
      for (size_t in = 0; in < inputs_; ++in) sum += row[in] * x[in];
      y[out] += sum;
    }
  }

  // Adds to the gradients; `down` gets the gradient of x.
  void backward(std::span<const float> x, std::span<const float> up, std::vector<float>& down) {
    down.assign(inputs_, 0.0F);
    for (size_t out = 0; out < outputs_; ++out) {
      const float* row = &weights_[out * inputs_];
      float* gradient = &gradients_[out * inputs_];
      for (size_t in = 0; in < inputs_; ++in) {
        gradient[in] += up[out] * x[in];
        down[in] += up[out] * row[in];
      }
      gradients_[inputs_ * outputs_ + out] += up[out];
    }
  }

  void step(float rate, int count) {
    const auto first = 1 - std::pow(0.9F, static_cast<float>(count));
    const auto second = 1 - std::pow(0.999F, static_cast<float>(count));
    for (size_t i = 0; i < weights_.size(); ++i) {
      const float gradient = std::exchange(gradients_[i], 0.0F) / batch_rows;
      moments_[i] = 0.9F * moments_[i] + 0.1F * gradient;
      squares_[i] = 0.999F * squares_[i] + 0.001F * gradient * gradient;
      weights_[i] -= rate * (moments_[i] / first) / (std::sqrt(squares_[i] / second) + 1e-8F);
    }
  }

 private:
  std::vector<float> weights_;  // (outputs, inputs), then the bias
  std::vector<float> gradients_, moments_, squares_;
  size_t inputs_;
  size_t outputs_ = 0;
};

struct Exit {
  Linear pooler;
  Linear classifier;
};

std::string name_of(const ModelConfig& config, Role role, bool bias) {
  for (const TensorSpec& spec : config.tensors()) {
    if (spec.module.role == role && spec.bias == bias) return spec.name;
  }
  return {};
}

// Cross-entropy, rates falling to 0.
void train(Exit& exit, const std::vector<std::vector<float>>& rows,
           const std::vector<int32_t>& labels) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<float> pooled, logits, unused;
  const auto steps = static_cast<float>(epochs * (rows.size() / batch_rows));
  int step = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    Random random{1, static_cast<uint64_t>(epoch)};
    random.shuffle(order);
    for (size_t begin = 0; begin + batch_rows <= order.size(); begin += batch_rows) {
      for (size_t i = begin; i < begin + batch_rows; ++i) {
        const std::vector<float>& row = rows[order[i]];
        exit.pooler.forward(row, pooled);
        for (float& x : pooled) x = std::tanh(x);
        exit.classifier.forward(pooled, logits);
        const float largest = *std::max_element(logits.begin(), logits.end());
        float sum = 0;
        for (float& x : logits) sum += x = std::exp(x - largest);
        for (float& x : logits) x /= sum;
        logits[static_cast<size_t>(labels[order[i]])] -= 1;
        std::vector<float> up;
        exit.classifier.backward(pooled, logits, up);
        for (size_t k = 0; k < up.size(); ++k) up[k] *= 1 - pooled[k] * pooled[k];
        exit.pooler.backward(row, up, unused);
      }
      ++step;
      const float rate = adam_rate * (1 - static_cast<float>(step) / (steps + 1));
      exit.pooler.step(rate, step);
      exit.classifier.step(rate, step);
    }
  }
}

// The model's first layers, with what `config` has behind them.
void write_prefix(const fs::path& folder, const ExitTask& task, const ModelConfig& whole,
                  const ModelConfig& config, const Exit* exit) {
  const SlicedTensors stored(task.model / "model.safetensors", whole);
  CheckpointContent content{config, "", "# Early exit\n", "", {}};
  for (const char* name : {"vocab.txt", "tokenizer.json"}) {
    if (!fs::exists(task.model / name)) continue;
    std::string text = read_checkpoint_file(task.model / name, 1 << 28);
    (name == std::string("vocab.txt") ? content.vocabulary : content.files[name]) = std::move(text);
  }
  for (const TensorSpec& spec : config.tensors()) {
    for (const TensorView& view : stored.views()) {
      if (view.name == spec.name) content.tensors.push_back(view);
    }
    if (exit == nullptr) continue;
    const Role role = spec.module.role;
    if (role != Role::pooler && role != Role::classifier) continue;
    const Linear& linear = role == Role::pooler ? exit->pooler : exit->classifier;
    content.tensors.back() = {spec.name, DType::f32, spec.shape,
                              std::as_bytes(spec.bias ? linear.bias() : linear.matrix())};
  }
  write_checkpoint(folder, content);
}

ModelConfig first_layers(const ModelConfig& whole, int64_t layers) {
  ModelConfig config = whole;
  config.shape.layers = layers;
  config.method = Method::dense;
  config.order.reset();
  return config;
}

// The last rows of [CLS] behind so many layers.
std::vector<std::vector<float>> states_behind(const ExitTask& task, const ModelConfig& whole,
                                              int64_t layers, const fs::path& folder) {
  ModelConfig config = first_layers(whole, layers);
  config.task = Task::embed;
  config.labels.clear();
  config.shape.labels = 0;
  config.shape.readout = readout_of(config.task);
  config.output.vector = {Pooling::cls, /*normalize=*/false, {}, {}, {}};
  write_prefix(folder, task, whole, config, nullptr);
  Session session(EngineModel::load(folder), task.threads);
  std::vector<std::vector<float>> states;
  for (Answer& answer : session.run(std::span<const Tokens>(task.train.inputs), Budget{})) {
    states.push_back(std::move(answer.embedding));
  }
  return states;
}

struct Depth {
  std::shared_ptr<Session> session;  // of the layers up to here
  std::vector<Scores> validation;    // calibrated
  std::vector<Scores> test;
};

std::vector<Scores> scores_of(Session& session, const TuneRows& rows) {
  std::vector<Scores> scores;
  for (const Answer& answer : session.run(std::span<const Tokens>(rows.inputs), Budget{})) {
    scores.emplace_back(answer.scores.begin(), answer.scores.end());
  }
  return scores;
}

Depth measure_depth(const ExitTask& task, const fs::path& folder) {
  EngineOptions options{task.precision};
  options.without_policy = true;
  Depth depth;
  depth.session = std::make_shared<Session>(EngineModel::load(folder, options), 1);
  Session scoring(EngineModel::load(folder, options), task.threads);
  depth.validation = scores_of(scoring, task.validation);
  depth.test = scores_of(scoring, task.test);
  std::vector<Scores> targets;
  for (const int32_t label : task.validation.labels) {
    targets.emplace_back(depth.validation[0].size());
    targets.back()[static_cast<size_t>(label)] = 1;
  }
  const double temperature = fit_temperature(depth.validation, targets);
  for (auto* all : {&depth.validation, &depth.test}) {
    for (Scores& scores : *all) apply_temperature(scores, temperature);
  }
  return depth;
}

// Where a row leaves at a threshold.
size_t exit_of(const std::vector<Depth>& depths, std::vector<Scores> Depth::*part, size_t row,
               double threshold) {
  for (size_t k = 0; k + 1 < depths.size(); ++k) {
    const Scores& scores = (depths[k].*part)[row];
    if (scores[best_label(scores)] >= threshold) return k;
  }
  return depths.size() - 1;
}

double mean_layers(const std::vector<Depth>& depths, size_t rows, double threshold) {
  double sum = 0;
  for (size_t row = 0; row < rows; ++row) {
    sum += static_cast<double>(exit_of(depths, &Depth::validation, row, threshold) + 1);
  }
  return sum / static_cast<double>(rows * depths.size());
}

// The highest at which no more of the layers run; thresholds closer to 1 are closer to each other.
std::optional<double> threshold_for(const std::vector<Depth>& depths, size_t rows, double mean) {
  std::optional<double> found;
  for (int step = 0; step <= 400; ++step) {
    const double threshold = 1 - std::pow(10.0, -step / 100.0);
    if (mean_layers(depths, rows, threshold) > mean) break;
    found = threshold;
  }
  return found;
}

// Texts of a batch leave together where they leave alike.
double time_ms(const std::vector<Depth>& depths, const std::vector<std::vector<Text>>& by_exit,
               size_t batch) {
  const auto started = std::chrono::steady_clock::now();
  for (size_t k = 0; k < depths.size(); ++k) {
    const std::span<const Text> texts = by_exit[k];
    for (size_t begin = 0; begin < texts.size(); begin += batch) {
      depths[k].session->run(texts.subspan(begin, std::min(batch, texts.size() - begin)), Budget{});
    }
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started)
      .count();
}

}  // namespace

std::vector<Peer> early_exits(const ExitTask& task) {
  const ModelConfig whole = read_config(task.model);
  if (whole.shape.family != "bert" || whole.shape.mean_pooling) {
    fmt::print(stderr, "without early exits: {} is not a BERT with a pooler\n",
               task.model.string());
    return {};
  }
  const SafetensorsFile file(task.model / "model.safetensors");
  const auto linear = [&](Role role) {
    return Linear(file, name_of(whole, role, false), name_of(whole, role, true));
  };
  const ScratchFolder scratch;
  const auto depths = std::make_shared<std::vector<Depth>>();
  for (int64_t layers = 1; layers <= whole.shape.layers; ++layers) {
    Exit exit{linear(Role::pooler), linear(Role::classifier)};
    if (layers < whole.shape.layers) {
      const fs::path states = scratch.path() / fmt::format("states-{}", layers);
      train(exit, states_behind(task, whole, layers, states), task.train.labels);
    }
    const fs::path folder = scratch.path() / fmt::format("exit-{}", layers);
    write_prefix(folder, task, whole, first_layers(whole, layers), &exit);
    depths->push_back(measure_depth(task, folder));
    size_t right = 0;
    for (size_t row = 0; row < task.test.labels.size(); ++row) {
      right += best_label(depths->back().test[row]) == static_cast<size_t>(task.test.labels[row]);
    }
    fmt::print(stderr, "exit behind layer {}: {:.2f} % of test rows right\n", layers,
               100.0 * static_cast<double>(right) / static_cast<double>(task.test.labels.size()));
  }
  std::vector<Peer> arms;
  for (const double mean : task.mean_layers) {
    const auto threshold = threshold_for(*depths, task.validation.inputs.size(), mean);
    if (!threshold) continue;
    size_t right = 0;
    for (size_t row = 0; row < task.test.inputs.size(); ++row) {
      const size_t k = exit_of(*depths, &Depth::test, row, *threshold);
      right += best_label((*depths)[k].test[row]) == static_cast<size_t>(task.test.labels[row]);
    }
    std::vector<std::vector<Text>> by_exit(depths->size());
    for (size_t i = 0; i < task.timed.size(); ++i) {
      by_exit[exit_of(*depths, &Depth::test, task.timed[i], *threshold)].push_back(
          task.timed_texts[i]);
    }
    arms.push_back({fmt::format("early exit, {} of the layers", mean),
                    static_cast<double>(right) / static_cast<double>(task.test.inputs.size()),
                    [depths, by_exit](size_t batch) { return time_ms(*depths, by_exit, batch); }});
  }
  return arms;
}

}  // namespace headroom
