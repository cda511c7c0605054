// Sentence order (Lan et al., arXiv 1909.11942, section 3.1): a row becomes two segments that
// follow each other in the text, in half of the rows the second one first, and the encoder tells
// which from [CLS]. What it learns is how sentences go on; and the second segment's token type is
// trained, which pairs are to have.
#pragma once

#include <cstdint>
#include <vector>

#include "model/batch.h"
#include "text/vocabulary.h"

namespace headroom {
inline namespace train {

struct SegmentSettings {
  double weight = 0;          // of its loss beside the objective's; 0: rows stay as they are
  std::vector<int32_t> ends;  // tokens that end a sentence
  int32_t cls_id = built_cls_id;
  int32_t sep_id = built_sep_id;
};

SegmentSettings segment_settings(const Vocabulary& vocabulary, double weight);

struct SegmentBatch {
  Batch batch;            // [CLS] one segment [SEP] the other [SEP], with token types
  torch::Tensor swapped;  // (B) bool; undefined: rows as they were
};

// Rows are cut behind the end of a sentence, the nearest to the middle of those in their middle
// half, or in the middle where there is none, and lose their last two tokens to [SEP]. Which rows
// are swapped is drawn from torch's generator of the batch's device.
SegmentBatch order_segments(const Batch& batch, const SegmentSettings& settings);

// order_segments() with what was drawn: (B) bool.
SegmentBatch arrange_segments(const Batch& batch, const SegmentSettings& settings,
                              const torch::Tensor& swapped);

}  // namespace train
}  // namespace headroom
