// Matrices that Hugging Face's files of a family hold as one (ModelSchema::fused), and that
// everything here has apart: put together where a file is written, taken apart where it is read.
#pragma once

#include <list>
#include <vector>

#include "budget/shape.h"
#include "checkpoint/tensors/safetensors.h"
#include "checkpoint/tensors/tensor.h"

namespace headroom {

// Tensors as files have them. Those of one fused matrix have the same number of rows and follow
// each other.
class FusedTensors {
 public:
  FusedTensors(const std::vector<TensorView>& tensors, const ModelShape& shape);

  const std::vector<TensorView>& views() const { return views_; }  // valid as long as this object

 private:
  std::vector<TensorView> views_;
  std::list<std::vector<std::byte>> copies_;  // a list: views point into them
};

void split_fused_tensors(SafetensorsFile& file, const ModelShape& shape);

}  // namespace headroom
