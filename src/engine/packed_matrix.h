// A linear layer's weights, K x N, as the kernels read them: N / 16 panels of 16 output columns,
// each with all K input rows (kernels/gemm.h). Packed once; every budget reads the same memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/gemm.h"
#include "engine/precision.h"
#include "engine/weight_memory.h"

namespace headroom {

class PackedMatrix {
 public:
  PackedMatrix() = default;

  // `weight` is N x K, as checkpoints store it. `column_order` and `row_order` have the source
  // index of every column and row of the packed matrix; -1: zeros. Lives in `memory`, which must
  // outlive it; where that is packed already, `weight` and `bias` are not looked at.
  PackedMatrix(Precision precision, std::span<const float> weight, std::span<const float> bias,
               const std::vector<int64_t>& column_order, const std::vector<int64_t>& row_order,
               WeightMemory& memory);

  int64_t panels() const { return panels_; }
  int64_t lanes() const { return lanes_; }  // rows of a panel: K in lanes

  const void* panel(int64_t index) const { return weights_ + index * lanes_ * panel_width * 4; }
  const float* bias(int64_t index) const { return values_of(bias_, index); }
  const float* scales(int64_t index) const {  // null unless int8
    return values_of(scales_, index);
  }

  // A panel for a product over these rows.
  GemmPanel gemm_panel(int64_t index, std::span<const GemmSegment> rows, void* out,
                       int64_t out_stride) const {
    const bool all = rows.size() == 1 && rows[0].b == 0 && rows[0].length == lanes_;
    return {panel(index), bias(index),   out,
            out_stride,   scales(index), all ? values_of(compensation_, index) : nullptr};
  }

 private:
  // A panel's 16 of what has a value for every column; null if there is none.
  template <typename T>
  static const T* values_of(const T* values, int64_t index) {
    return values != nullptr ? values + index * panel_width : nullptr;
  }

  int64_t panels_ = 0;
  int64_t lanes_ = 0;
  const std::byte* weights_ = nullptr;
  const float* bias_ = nullptr;
  const float* scales_ = nullptr;          // int8
  const int32_t* compensation_ = nullptr;  // int8: GemmPanel's
};

}  // namespace headroom
