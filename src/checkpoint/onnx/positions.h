// What attention does with positions, as nodes of an ONNX graph. T is the length of the batch,
// found out when it runs.
#pragma once

#include <map>
#include <string>

#include "budget/shape.h"
#include "checkpoint/onnx/graph.h"

namespace headroom {

class OnnxPositions {
 public:
  OnnxPositions(OnnxGraph& graph, const ModelShape& shape) : graph_(graph), shape_(shape) {}

  // T, as a tensor of one element.
  std::string length();

  // x (B, H, T, W) with each token's pairs of elements turned.
  std::string rotated(const std::string& name, const std::string& x, double theta);

  // Rows of the table of relative positions by query and key: (T, T).
  std::string relative_rows();

  // `key_bias` (B, 1, 1, T), and a number far below every score where a key is further away than
  // `window`: (B, 1, T, T).
  std::string with_window(const std::string& key_bias, int64_t window);

 private:
  // The first T rows.
  std::string first_rows(const std::string& name, const std::string& table);

  OnnxGraph& graph_;
  const ModelShape& shape_;
  std::map<double, std::pair<std::string, std::string>> rotary_;  // cosines and sines by theta
  std::string length_, window_bias_, relative_rows_;
};

}  // namespace headroom
