#include "train/stages/search_allocation.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "budget/allocation/search_order.h"
#include "model/slice.h"
#include "train/stages/distilled_loss.h"

namespace headroom {
inline namespace train {
namespace {

int64_t rows_of(const std::vector<Batch>& batches) {
  int64_t rows = 0;
  for (const Batch& batch : batches) rows += batch.size();
  return rows;
}

// The mean over rows of what a selection loses.
class PrefixLoss {
 public:
  PrefixLoss(const ElasticModel& model, std::vector<Batch> batches, const StageSettings& settings)
      : model_(model), batches_(std::move(batches)), settings_(settings) {
    // A language model's outputs are as wide as its vocabulary: too much to keep.
    if (settings.distill_weight == 0 || model.shape.generates()) return;
    for (const Batch& batch : batches_) taught_.push_back(teacher_outputs(model, batch));
  }

  int64_t rows() const { return rows_of(batches_); }

  double operator()(const Selection& selection) const {
    const torch::NoGradGuard no_gradients;
    const ModelWeights weights = prefix_view(model_.weights, selection);
    double sum = 0;
    for (size_t i = 0; i < batches_.size(); ++i) {
      const Batch& batch = batches_[i];
      const torch::Tensor outputs = forward(weights, batch, model_.evaluation());
      sum += static_cast<double>(batch.size()) *
             distilled_loss(settings_, *model_.objective, outputs, taught(i), batch).item<double>();
    }
    return sum / static_cast<double>(rows());
  }

 private:
  torch::Tensor taught(size_t i) const {
    if (settings_.distill_weight == 0) return {};
    return taught_.empty() ? teacher_outputs(model_, batches_[i]) : taught_[i];
  }

  const ElasticModel& model_;
  std::vector<Batch> batches_;
  const StageSettings& settings_;
  std::vector<torch::Tensor> taught_;
};

std::string told(const SearchedOrder& found, int64_t rows, double seconds) {
  std::string line =
      fmt::format("allocation searched on {}: {} in {:.0f} s", counted(rows, "validation row"),
                  counted(found.evaluations, "selection"), seconds);
  for (const SearchedBudget& at : found.budgets) {
    line += fmt::format("{} {:.4f} at {} (uniform {:.4f})",
                        &at == &found.budgets.front() ? "; loss" : ",", at.loss, at.budget,
                        at.uniform_loss);
  }
  return line;
}

}  // namespace

std::vector<Batch> searched_batches(const std::vector<Batch>& batches) {
  const int64_t rows = rows_of(batches);
  if (rows <= most_searched_rows) return batches;
  std::vector<Batch> chosen;
  int64_t taken = 0;
  int64_t passed = 0;
  for (const Batch& batch : batches) {
    passed += batch.size();
    // As large a share of the limit as of the rows seen so far.
    if (taken + batch.size() > most_searched_rows * passed / rows) continue;
    taken += batch.size();
    chosen.push_back(batch);
  }
  if (chosen.empty()) chosen.push_back(batches[batches.size() / 2]);
  return chosen;
}

void search_allocation(ElasticModel& model, const std::vector<Batch>& validation,
                       const StageSettings& settings, Random& random, ProgressSink& progress) {
  const auto started = std::chrono::steady_clock::now();
  const PrefixLoss loss(model, searched_batches(validation), settings);
  const UnitOrder start = model.order.value();
  ProgressUpdate update;
  update.stage = "search";
  update.total = most_evaluations(model.shape, start, settings.budget_grid);
  update.unit = "selections";
  const SelectionLoss counted_loss = [&](const Selection& selection) {
    if (interrupt_requested()) {
      throw Error(ErrorCode::interrupted, "train",
                  "stopped in the search for an allocation; --resume begins that anew");
    }
    const double value = loss(selection);
    ++update.done;
    progress.update(update);
    return value;
  };
  const SearchedOrder found =
      search_order(model.shape, start, settings.budget_grid, counted_loss, random);
  model.order = found.order;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
  progress.note(told(found, loss.rows(), taken.count()));
}

}  // namespace train
}  // namespace headroom
