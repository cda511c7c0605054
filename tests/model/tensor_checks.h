// A model's tensors: against those that its file must hold, and how many numbers they are.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "families/schema.h"
#include "model/weights.h"

namespace headroom::testing {

// Names, order and shapes.
inline void expect_tensors(ModelWeights weights, const std::vector<TensorSpec>& expected) {
  size_t next = 0;
  for_each_tensor(weights, [&](const std::string& name, const torch::Tensor& tensor) {
    ASSERT_LT(next, expected.size());
    EXPECT_EQ(name, expected[next].name);
    EXPECT_EQ(tensor.sizes(), expected[next].shape) << name;
    ++next;
  });
  EXPECT_EQ(next, expected.size());
}

inline int64_t element_count(ModelWeights weights) {
  int64_t elements = 0;
  for_each_tensor(weights, [&](const std::string&, const torch::Tensor& tensor) {
    elements += tensor.numel();
  });
  return elements;
}

}  // namespace headroom::testing
