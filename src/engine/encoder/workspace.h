// The activations of one worker: one sequence at a time on its way through the layers, and the
// [CLS] rows of a group of sequences behind the last attention. Where a sequence is split over
// threads, each has one of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/arena.h"
#include "engine/kernels/gemm.h"
#include "engine/weights.h"

namespace headroom {

// Rows of floats, bf16 or int8.
struct Activation {
  std::byte* data = nullptr;
  int64_t stride = 0;       // elements from a row to the next
  int64_t size = 4;         // bytes of an element
  float* scales = nullptr;  // int8: one per row

  std::byte* at(int64_t row, int64_t column) const { return data + (row * stride + column) * size; }
  float* floats() const { return reinterpret_cast<float*>(data); }
  uint16_t* bf16() const { return reinterpret_cast<uint16_t*>(data); }
  GemmOut type() const { return size == 4 ? GemmOut::f32 : GemmOut::bf16; }

  Activation from_row(int64_t row) const {
    Activation rest = *this;
    rest.data = at(row, 0);
    if (scales != nullptr) rest.scales += row;
    return rest;
  }
};

// The residual stream, always in floats, and what the linear layers read of it: itself, or a copy
// in their precision.
struct Stream {
  Activation x;
  Activation operand;

  Stream from_row(int64_t row) const { return {x.from_row(row), operand.from_row(row)}; }
};

// Where an adaptive model's choice for one layer is made.
struct ChoiceSpace {
  Activation mean;  // one row each
  Activation hidden;
  Activation share;
  Activation relevance;
  double* scores = nullptr;  // per head
  int32_t* heads = nullptr;  // chosen
  GemmSegment* segments = nullptr;
};

// T tokens, D width, H kept heads of padded width W, F FFN width, B sequences.
struct Workspace {
  Stream stream;  // T x D
  Stream normed;  // T x D: what blocks read of the stream, where norms come first
  Stream narrow;  // T x E: embeddings, where they are narrower, in floats
  // Attention of all kept heads, in its precision:
  Activation queries;  // H x T x W
  Activation keys;     // H x T x W
  Activation values;   // H x T x W; in panels, H x (W / 16) x T x 16, unless attention is fused
  // Of one head:
  float* unmixed = nullptr;                // values as they are read from the stream, in floats
  uint32_t* transposed_keys = nullptr;     // W x T in panels of 16 keys
  uint32_t* interleaved_values = nullptr;  // bf16: T x W in panels, two tokens in a lane
  Activation scores;                       // attention_rows x T, in floats
  Activation probabilities;                // softmax of them: in place, or in bf16
  float* inverse_sums = nullptr;
  // Disentangled attention: contents of a block of queries or keys by relative positions, the same
  // by query, and that of all keys: panels of 16 keys, each by query.
  Activation position_products;
  Activation expanded_positions;
  float* key_positions = nullptr;
  const float** score_bias = nullptr;  // of every kept head, where scores have one
  uint32_t* head_scratch = nullptr;    // of fused attention
  Activation context;                  // T x (H W)
  Activation hidden;                   // T x F
  Activation gate;                     // T x F: what a gated FFN multiplies it by
  Activation quantised;                // int8: what a product reads of one of these two
  Stream tail;                         // B x D
  Activation tail_context;             // B x (H W)
  Activation tail_hidden;              // B x F
  // B (a tagger's: T) x labels, or B x dense; padded to full panels
  float* logits = nullptr;
  GemmPanel* panels = nullptr;  // for whichever product comes next
  ChoiceSpace choice;           // adaptive models

  // With what each token has from `row` on.
  Workspace from_row(int64_t row) const;
};

void mean_of_rows(const Activation& x, int64_t rows, int64_t width, float* mean);  // of floats

// Queries whose scores are computed together, at most: two tiles, whose 32 x 128 floats are 16 KB
// at 128 tokens, so that softmax finds them in L1.
inline constexpr int64_t attention_rows = 32;

// Sequences whose [CLS] rows go through the last layers together: one pass over the weights for all
// of them instead of one each.
inline constexpr int64_t tail_rows = 32;

struct AttentionMode {
  Precision precision = Precision::fp32;  // of attention's own products: fp32 or bf16
  bool fused = false;                     // scores, softmax and values in one kernel
};

// Room for sequences of up to `tokens` tokens at any budget, for each of `shares` threads: their
// own are attention's scratch and a list of panels. Resets the arena.
std::span<const Workspace> make_workspaces(const EngineWeights& weights, AttentionMode attention,
                                           int64_t tokens, int shares, Arena& arena);

}  // namespace headroom
