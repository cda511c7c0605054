// A linear layer's weights as the kernels read them: panels of 16 output columns, each all its
// input rows long (kernels/gemm.h). Packed once; every budget reads the same memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/aligned_buffer.h"
#include "engine/kernels/gemm.h"
#include "engine/precision.h"

namespace headroom {

class PackedMatrix {
 public:
  PackedMatrix() = default;

  // `weight` is (columns, rows), as checkpoints store it. `column_order` and `row_order` name, for
  // each place of the packed matrix, where it comes from; -1 is a place filled with zeros.
  PackedMatrix(Precision precision, std::span<const float> weight, std::span<const float> bias,
               const std::vector<int64_t>& column_order, const std::vector<int64_t>& row_order);

  // All columns and rows as they come.
  PackedMatrix(Precision precision, std::span<const float> weight, std::span<const float> bias);

  int64_t panels() const { return panels_; }
  int64_t units() const { return units_; }  // rows of a panel

  const void* panel(int64_t index) const {
    return weights_.data() + index * units_ * panel_width * 4;
  }
  const float* bias(int64_t index) const {
    return reinterpret_cast<const float*>(bias_.data()) + index * panel_width;
  }
  const float* scales(int64_t index) const {  // null unless int8
    return scales_.size() == 0
               ? nullptr
               : reinterpret_cast<const float*>(scales_.data()) + index * panel_width;
  }

  // The first unit of a panel and all that a product over these rows needs to know about it.
  GemmPanel gemm_panel(int64_t index, std::span<const GemmSegment> rows, void* out,
                       int64_t out_stride) const {
    const bool all = rows.size() == 1 && rows[0].b == 0 && rows[0].length == units_;
    return {panel(index), bias(index),   out,
            out_stride,   scales(index), all ? start(index) : nullptr};
  }

 private:
  const int32_t* start(int64_t index) const {  // null unless int8
    return starts_.size() == 0
               ? nullptr
               : reinterpret_cast<const int32_t*>(starts_.data()) + index * panel_width;
  }
  void sum_columns();

  int64_t panels_ = 0;
  int64_t units_ = 0;
  AlignedBuffer weights_;
  AlignedBuffer bias_;
  AlignedBuffer scales_;
  AlignedBuffer starts_;
};

}  // namespace headroom
