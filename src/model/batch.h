// A padded batch on a device: what a forward pass reads.
#pragma once

#include <vector>

#include "model/torch.h"

namespace headroom {

struct EncodedDataset;

struct Batch {
  torch::Tensor tokens;  // (B, T) int64, padded with the pad id
  torch::Tensor types;   // (B, T) int64, or undefined: all first text
  torch::Tensor
      key_bias;  // (B, 1, 1, T) float: 0 for tokens, -inf for padding; undefined: no padding
  // What to predict, int64, or undefined when only predicting: (B) labels, or one token or tag per
  // position, (B * T) flat, with -100 where nothing is to be predicted.
  torch::Tensor labels;
  torch::Tensor patches = {};  // images: (B, patches, numbers) float instead of tokens
  torch::Tensor target = {};   // translation: (B, positions) int64, what the decoder reads
  double share = 1;           // of a piece's mean loss in that of the whole batch it was taken from
  torch::Tensor values = {};  // (rows, n) float: what is to be predicted where that is no label
  // Texts a row: all first texts of the rows come before all second ones, so B is a multiple of it.
  int64_t texts = 1;
  std::vector<int32_t> rows = {};          // of the set that they were taken from
  const EncodedDataset* source = nullptr;  // that set, where outputs are to be measured on it

  int64_t size() const { return patches.defined() ? patches.size(0) : tokens.size(0); }
  // Rows that attention sees: a class token stands in front of the patches.
  int64_t length() const { return patches.defined() ? patches.size(1) + 1 : tokens.size(1); }
};

}  // namespace headroom
