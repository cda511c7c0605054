#include "tune/ngram_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/random.h"

namespace headroom {
namespace {

constexpr int64_t steps_between_looks = 2048;  // at the interrupt flag: well below a second

// The most buckets, a power of two, whose rows of bytes and scales fit.
int64_t bucket_count(int64_t bytes, int64_t labels) {
  const int64_t row = labels + static_cast<int64_t>(sizeof(float));
  return static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(std::clamp<int64_t>(bytes / row, 1 << 12, 1 << 22))));
}

class Trainer {
 public:
  Trainer(const NgramTable& table, const NgramTraining& settings)
      : table_(table),
        settings_(settings),
        labels_(static_cast<size_t>(table.labels)),
        weights_(static_cast<size_t>(table.rows()) * labels_),
        squares_(weights_.size()),
        logits_(labels_) {}

  void step(const Tokens& row, const Scores& target, double rate, Random& random) {
    table_.find_rows(row.ids, row.types, rows_);
    if (settings_.dropout > 0) {
      std::erase_if(rows_, [&](uint32_t) { return random.uniform() < settings_.dropout; });
      if (rows_.empty()) return;
    }
    const auto value = static_cast<float>(1 / std::sqrt(static_cast<double>(rows_.size())));
    std::fill(logits_.begin(), logits_.end(), 0.0F);
    for (const uint32_t ngram : rows_) {
      const float* weights = &weights_[ngram * labels_];
      for (size_t i = 0; i < labels_; ++i) logits_[i] += value * weights[i];
    }
    const float largest = *std::max_element(logits_.begin(), logits_.end());
    float sum = 0;
    for (float& logit : logits_) sum += logit = std::exp(logit - largest);
    for (size_t i = 0; i < labels_; ++i) {
      logits_[i] = value * (logits_[i] / sum - static_cast<float>(target[i]));  // the gradient
    }
    const auto keep = static_cast<float>(1 - rate * settings_.decay);
    for (const uint32_t ngram : rows_) {
      float* weights = &weights_[ngram * labels_];
      float* squares = &squares_[ngram * labels_];
      for (size_t i = 0; i < labels_; ++i) {
        squares[i] += logits_[i] * logits_[i];
        weights[i] = keep * weights[i] -
                     static_cast<float>(rate) * logits_[i] / std::sqrt(squares[i] + 1e-8F);
      }
    }
  }

  // Bytes of each row's largest weight; rows that no text touched are 0. The sum of all n-grams of
  // a text over the root of their number is larger than that of those that dropout leaves.
  NgramBag quantised() const {
    NgramBag bag{table_, std::vector<int8_t>(weights_.size()),
                 std::vector<float>(static_cast<size_t>(table_.rows()))};
    const auto all = static_cast<float>(std::sqrt(1 - settings_.dropout));
    for (size_t row = 0; row < bag.scales.size(); ++row) {
      const float* weights = &weights_[row * labels_];
      float largest = 0;
      for (size_t i = 0; i < labels_; ++i) largest = std::max(largest, std::abs(weights[i]));
      if (largest == 0) continue;
      bag.scales[row] = largest / 127;
      for (size_t i = 0; i < labels_; ++i) {
        bag.weights[row * labels_ + i] =
            static_cast<int8_t>(std::lround(weights[i] / bag.scales[row]));
      }
      bag.scales[row] *= all;
    }
    return bag;
  }

 private:
  NgramTable table_;
  NgramTraining settings_;
  size_t labels_;
  std::vector<float> weights_;
  std::vector<float> squares_;  // sums of squared gradients
  std::vector<float> logits_;
  std::vector<uint32_t> rows_;
};

}  // namespace

int chosen_epochs(size_t rows) {
  constexpr double seen = 400'000;
  return static_cast<int>(
      std::clamp(seen / static_cast<double>(std::max<size_t>(rows, 1)), 10.0, 40.0));
}

NgramBag train_ngram_bag(std::span<const Tokens> rows, std::span<const Scores> targets,
                         int64_t vocabulary, int64_t labels, const NgramTraining& settings,
                         ProgressSink& progress) {
  const NgramTable table{vocabulary, bucket_count(settings.bytes, labels), settings.orders, labels};
  Trainer trainer(table, settings);
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  ProgressUpdate update;
  update.stage = "rung zero";
  update.unit = "rows";
  const int epochs = settings.epochs > 0 ? settings.epochs : chosen_epochs(rows.size());
  update.total = epochs * static_cast<int64_t>(rows.size());
  const auto steps = static_cast<double>(update.total);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    update.detail = fmt::format("epoch {} of {}", epoch + 1, epochs);
    Random random{settings.seed, static_cast<uint64_t>(epoch)};
    random.shuffle(order);
    for (const size_t row : order) {
      if (update.done % steps_between_looks == 0) {
        if (interrupt_requested()) throw Error(ErrorCode::interrupted, "tune", "stopped");
        progress.update(update);
      }
      const double done = static_cast<double>(update.done) / steps;
      trainer.step(rows[row], targets[row], settings.rate * (1 - done), random);
      ++update.done;
    }
  }
  progress.update(update);
  return trainer.quantised();
}

}  // namespace headroom
