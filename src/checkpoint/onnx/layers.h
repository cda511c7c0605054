// The layers of a checkpoint as nodes of an ONNX graph: products with its weights, in fp32 or int8,
// norms and activations, as the encoder and the heads use them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/onnx/graph.h"
#include "checkpoint/onnx/writer.h"
#include "checkpoint/tensors/safetensors.h"
#include "families/families.h"

namespace headroom {

// Units of a layer that are kept, as columns or rows of its matrices.
using Kept = std::vector<int64_t>;

Kept first(int64_t count);  // 0 to count - 1

class OnnxLayers {
 public:
  OnnxLayers(onnx::GraphProto& graph, const ModelConfig& config,
             const std::filesystem::path& safetensors, OnnxPrecision precision);

  OnnxGraph& graph() { return graph_; }
  const ModelConfig& config() const { return config_; }
  const ModelSchema& schema() const { return schema_; }
  const std::string& one() const { return one_; }
  std::string index_zero();

  // What follows is in fp32: heads are small, and their errors would be the answer's.
  void use_fp32() { precision_ = OnnxPrecision::fp32; }

  std::vector<float> tensor(const std::string& name, const std::vector<int64_t>& dims) const;

  // Rows `out` and columns `in` of a stored matrix, transposed, and the same part of its bias.
  // Weights are stored (out, in); MatMul wants (in, out).
  std::string linear(const std::string& name, const std::string& x, int64_t width_in,
                     int64_t width_out, const Kept& in, const Kept& out);

  // A whole matrix of (rows, width) as it is stored, which Gemm takes; its outputs calibrated.
  std::string dense(const std::string& layer, const std::string& name, const std::string& x,
                    int64_t rows, const ScoreCalibration& calibration = {});

  std::string norm(const std::string& name, const std::string& x, int64_t width);
  std::string activation(const std::string& name, const std::string& x, ActivationKind kind);

 private:
  std::string quantised(const std::string& x);
  std::string int8_product(const std::string& name, const std::string& x,
                           const std::vector<int64_t>& dims, const std::vector<float>& matrix);
  std::string gelu(const std::string& name, const std::string& x);
  std::string sigmoid_gated(const std::string& name, const std::string& x, SigmoidGate gate);

  OnnxGraph graph_;
  const ModelConfig& config_;
  const ModelShape& shape_;
  const ModelSchema& schema_;
  SafetensorsFile file_;
  OnnxPrecision precision_;
  std::map<std::string, std::string> quantised_;  // by the name of what they were made from
  std::string one_, half_, square_root_two_, index_zero_;
};

}  // namespace headroom
