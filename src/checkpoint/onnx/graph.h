// Puts an ONNX graph together: constants and nodes by name, and the few blocks a BERT is made of in
// the form that ONNX Runtime's optimiser recognises.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headroom {

// Names of values in the graph are plain strings; a node's output is named after the node.
class OnnxGraph {
 public:
  explicit OnnxGraph(onnx::GraphProto& graph) : graph_(graph) {}

  // An int64 input whose two dimensions are found out when it runs, as are those of an output in
  // front of its columns.
  void input(const std::string& name);
  void output(const std::string& name, const std::vector<std::string>& dynamic, int64_t columns);

  std::string floats(const std::string& name, const std::vector<int64_t>& dims,
                     std::span<const float> values);
  std::string scalar(const std::string& name, float value) { return floats(name, {}, {&value, 1}); }
  std::string bytes(const std::string& name, const std::vector<int64_t>& dims,
                    std::span<const int8_t> values);
  std::string whole(const std::string& name, const std::vector<int64_t>& values);
  std::string whole_scalar(const std::string& name, int64_t value);

  // Adds a node and returns the name of what it makes.
  onnx::NodeProto& node(const std::string& type, const std::string& name,
                        const std::vector<std::string>& inputs);
  std::string make(const std::string& type, const std::string& name,
                   const std::vector<std::string>& inputs);

 private:
  onnx::TensorProto& constant(const std::string& name, onnx::TensorProto::DataType type,
                              const std::vector<int64_t>& dims, std::span<const std::byte> bytes);

  onnx::GraphProto& graph_;
};

void set_attribute(onnx::NodeProto& node, const std::string& name, int64_t value);
void set_attribute(onnx::NodeProto& node, const std::string& name, float value);
void set_attribute(onnx::NodeProto& node, const std::string& name,
                   const std::vector<int64_t>& values);

}  // namespace headroom
