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

struct Workspace {
  Stream stream;  // T rows
  // Attention, in its precision. Per kept head:
  Activation queries;  // T rows of padded head width, head after head
  Activation keys;
  Activation values;  // panels of T rows of 16, or rows like the keys', head after head
  // Of one head:
  float* unmixed = nullptr;           // values as they are read from the stream, in floats
  uint32_t* turned_keys = nullptr;    // panels of 16 keys, in units
  uint32_t* paired_values = nullptr;  // bfloat16: panels of units of two tokens
  Activation scores;                  // attention_rows queries by T keys, in floats
  Activation shares;                  // what softmax makes of them: themselves, or in bfloat16
  float* inverse_sums = nullptr;
  uint32_t* head_scratch = nullptr;  // where one kernel attends all heads
  Activation context;                // T rows, kept heads side by side
  Activation hidden;                 // T rows of the FFN's inside
  Activation quantised;              // int8: what a product reads of one of these two
  Stream tail;                       // a row per sequence
  Activation tail_context;           // a row per sequence
  Activation tail_hidden;
  float* logits = nullptr;      // a row of whole panels per sequence
  GemmPanel* panels = nullptr;  // for whichever product comes next
  ChoiceSpace choice;           // adaptive models
};

// Queries whose scores are computed together, at most: two tiles, 16 KB at 128 tokens, so that
// softmax finds them in L1.
inline constexpr int64_t attention_rows = 32;

// Sequences whose [CLS] rows go through the last layers together: one pass over the weights for all
// of them instead of one each.
inline constexpr int64_t tail_rows = 32;

// How attention is computed.
struct AttentionWay {
  Precision precision = Precision::fp32;  // of its own products: fp32 or bf16
  bool one_kernel = false;                // for all heads
};

// Room for sequences of up to `tokens` tokens at any budget. Resets the arena.
Workspace make_workspace(const EngineWeights& weights, AttentionWay attention, int64_t tokens,
                         Arena& arena);

}  // namespace headroom
