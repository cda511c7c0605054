#include "train/pretraining/segment_order.h"

#include <optional>

namespace headroom {
inline namespace train {
namespace {

constexpr int64_t framing = 3;  // [CLS] and two [SEP]

// How many tokens of `content`, (B, C), the first segment has: (B, 1).
torch::Tensor first_lengths(const torch::Tensor& content, const std::vector<int32_t>& ends) {
  const int64_t C = content.size(1);
  const int64_t middle = C / 2;
  const torch::Tensor lengths = torch::arange(1, C + 1, content.options());  // cut behind a token
  torch::Tensor is_end = torch::zeros_like(content, torch::kBool);
  for (const int32_t id : ends) is_end = is_end.logical_or(content == id);
  is_end = is_end & (lengths >= C / 4) & (lengths <= C - C / 4);
  // Twice the distance, so that of two ends as far the one before the middle is nearer.
  const torch::Tensor distances =
      2 * (lengths - middle).abs() + (lengths > middle).to(torch::kInt64);
  const int64_t none = 2 * C + 2;
  const auto [least, index] =
      torch::where(is_end, distances.expand_as(content), torch::full_like(content, none))
          .min(1, /*keepdim=*/true);
  return torch::where(least < none, index + 1, torch::full_like(index, middle));
}

}  // namespace

SegmentSettings segment_settings(const Vocabulary& vocabulary, double weight) {
  SegmentSettings settings;
  settings.weight = weight;
  settings.cls_id = vocabulary.cls_id();
  settings.sep_id = vocabulary.sep_id();
  for (const char* end : {".", "!", "?", "\u3002", "\uff01", "\uff1f", "\u0964"}) {
    if (const std::optional<int32_t> id = vocabulary.find(end)) settings.ends.push_back(*id);
  }
  return settings;
}

SegmentBatch order_segments(const Batch& batch, const SegmentSettings& settings) {
  return arrange_segments(batch, settings,
                          torch::rand({batch.size()}, batch.tokens.device()) < 0.5);
}

SegmentBatch arrange_segments(const Batch& batch, const SegmentSettings& settings,
                              const torch::Tensor& swapped) {
  const torch::NoGradGuard no_gradients;
  const int64_t T = batch.length();
  const int64_t C = T - framing;
  const torch::Tensor content = batch.tokens.narrow(1, 1, C);
  const torch::Tensor first = first_lengths(content, settings.ends);
  const torch::Tensor row_swapped = swapped.unsqueeze(1);  // (B, 1)
  const torch::Tensor zero = torch::zeros_like(first);
  // What stands first, and where both stood in the row: (B, 1).
  const torch::Tensor length = torch::where(row_swapped, C - first, first);
  const torch::Tensor one_start = torch::where(row_swapped, first, zero);
  const torch::Tensor other_start = torch::where(row_swapped, zero, first);

  const torch::Tensor position = torch::arange(T, content.options()).unsqueeze(0);  // (1, T)
  const torch::Tensor second = position > length + 1;                               // (B, T)
  const torch::Tensor from =
      torch::where(second, other_start + position - length - 2, one_start + position - 1)
          .clamp(0, C - 1);
  const torch::Tensor separator = (position == length + 1) | (position == T - 1);
  SegmentBatch arranged{batch, swapped};
  arranged.batch.tokens = content.gather(1, from)
                              .masked_fill(separator, settings.sep_id)
                              .masked_fill(position == 0, settings.cls_id);
  arranged.batch.types = second.to(torch::kInt64);
  return arranged;
}

}  // namespace train
}  // namespace headroom
