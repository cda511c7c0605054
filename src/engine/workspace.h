// The activations of one worker: one sequence at a time on its way through the layers, and the
// [CLS] rows of a group of sequences behind the last attention.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/arena.h"
#include "engine/kernels/gemm.h"
#include "engine/weights.h"

namespace headroom {

// Rows of floats, bfloat16 or bytes.
struct Activation {
  std::byte* data = nullptr;
  int64_t stride = 0;       // numbers from a row to the next
  int64_t size = 4;         // bytes of a number
  float* scales = nullptr;  // bytes: one per row

  std::byte* at(int64_t row, int64_t column) const { return data + (row * stride + column) * size; }
  float* floats() const { return reinterpret_cast<float*>(data); }
  uint16_t* halves() const { return reinterpret_cast<uint16_t*>(data); }
  GemmOut type() const { return size == 4 ? GemmOut::f32 : GemmOut::bf16; }
};

// The residual stream, always in floats, and what the linear layers read of it: itself, or a copy
// in their precision.
struct Stream {
  Activation x;
  Activation operand;
};

struct Workspace {
  Stream stream;             // T rows
  float* queries = nullptr;  // per kept head: T rows of padded head width
  float* keys = nullptr;
  float* values = nullptr;       // per kept head: panels, as the product with the scores reads them
  float* unmixed = nullptr;      // values of one head before they are mixed over tokens
  float* turned_keys = nullptr;  // of one head, transposed: panels of 16 keys
  Activation scores;             // of one head: attention_rows queries by T keys
  float* inverse_sums = nullptr;
  Activation context;       // T rows, kept heads side by side
  Activation hidden;        // T rows of the FFN's inside
  Activation quantised;     // int8: what a product reads of one of these two
  Stream tail;              // a row per sequence
  Activation tail_context;  // a row per sequence
  Activation tail_hidden;
  float* logits = nullptr;      // a row of whole panels per sequence
  GemmPanel* panels = nullptr;  // for whichever product comes next
};

// Queries whose scores are computed together: two tiles, 14 KB at 128 tokens, so that softmax finds
// them in L1.
inline constexpr int64_t attention_rows = 28;

// Sequences whose [CLS] rows go through the last layers together: one pass over the weights for all
// of them instead of one each.
inline constexpr int64_t tail_rows = 32;

// Room for sequences of up to `tokens` tokens at any budget. Resets the arena.
Workspace make_workspace(const EngineWeights& weights, int64_t tokens, Arena& arena);

}  // namespace headroom
