// The controllers of BudgetFormer (arXiv 2604.22583) in libtorch: what a layer's input asks for,
// and the heads it gets. budget/head_choice.h has the same arithmetic on plain numbers.
#pragma once

#include <optional>
#include <vector>

#include "budget/head_choice.h"
#include "model/forward.h"
#include "model/weights.h"

namespace headroom {

// What a layer's controller says about each input of a batch.
struct HeadRequest {
  torch::Tensor share;      // (B): s
  torch::Tensor relevance;  // (B, H): z
};

// Reads the mean of x (B, T, D) over real tokens.
HeadRequest ask_controller(const ControllerWeights& controller, const torch::Tensor& x,
                           const torch::Tensor& key_bias);

// (B) whole numbers: heads_needed() of every share.
torch::Tensor heads_needed(const torch::Tensor& share, int64_t heads);

// (B, H) of 0 and 1: each row's `counts` best scores, as best_heads() takes them.
torch::Tensor mask_of_best(const torch::Tensor& scores, const torch::Tensor& counts);

// What the layers said and chose in one forward pass; one entry per layer.
struct ChoiceTrace {
  std::vector<HeadRequest> requests;
  std::vector<torch::Tensor> chosen;  // (B, H) of 0 and 1
};

// Controls for ablations: what a layer's controller says is overruled.
struct ChoiceOverride {
  std::optional<double> share;  // the same for every input (without f_o)
  bool random_heads = false;    // relevance drawn anew every time (without g_d)
  // By layer: so many heads on average, each input the whole number below or above, drawn anew
  // every time. Goes before `share`; empty: as that says.
  std::vector<double> heads = {};
};

// A layer's request, overruled where asked.
HeadRequest overruled(HeadRequest request, const ChoiceOverride& override, size_t layer);

// The choice at inference: no noise, hard heads, at most what `limit` allows. The three live longer
// than the chooser; `trace` may be null.
HeadChooser choose_by_controller(const ModelWeights& weights, const HeadLimit& limit,
                                 const ChoiceOverride& override, ChoiceTrace* trace);

}  // namespace headroom
