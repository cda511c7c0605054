#include "train/pretraining/pretraining_stage.h"

#include <fmt/format.h>

#include "train/pretraining/packed_source.h"
#include "train/stages/losses.h"

namespace headroom {
inline namespace train {

void OrderTally::add(const torch::Tensor& logits, const torch::Tensor& swapped) {
  hits += ((logits > 0) == swapped).sum().item<double>();
  count += swapped.numel();
}

SegmentBatch PretrainingStage::shown(const Batch& batch) const {
  const LengthSchedule& lengths = settings_.lengths;
  return arranged(lengths.shortens(progress_) ? cut_rows(batch, lengths.tokens) : batch);
}

SegmentBatch PretrainingStage::arranged(const Batch& batch) const {
  return orders() ? order_segments(batch, settings_.segments) : SegmentBatch{batch, {}};
}

std::vector<HiddenRows> PretrainingStage::hidden_rows(const std::vector<Batch>& validation,
                                                      const MaskSettings& masks,
                                                      uint64_t seed) const {
  torch::manual_seed(seed);
  std::vector<HiddenRows> hidden;
  for (const Batch& batch : validation) {
    SegmentBatch rows = arranged(batch);
    MaskedBatch masked = hide_tokens(rows.batch, masks, masks.share_at_end);
    hidden.push_back({std::move(rows), std::move(masked)});
  }
  return hidden;
}

torch::Tensor PretrainingStage::with_order(const torch::Tensor& loss, const ElasticModel& model,
                                           const torch::Tensor& x, const SegmentBatch& rows) const {
  if (!orders()) return loss;
  return loss + settings_.segments.weight *
                    sigmoid_loss(order_logits(model, x), rows.swapped.to(torch::kFloat32));
}

void PretrainingStage::tell_order(const OrderTally& order, Validation& validation) const {
  if (!orders()) return;
  validation.details.emplace_back("order_accuracy", order.accuracy());
  validation.summary += fmt::format(", order {:.1f} %", 100 * order.accuracy());
}

torch::Tensor order_logits(const ElasticModel& model, const torch::Tensor& x) {
  return binary_logits(model.order_head.value(), x.select(1, 0));
}

}  // namespace train
}  // namespace headroom
