#include "checkpoint/onnx/graph.h"

#include <bit>

namespace headroom {
namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

onnx::AttributeProto& attribute(onnx::NodeProto& node, const std::string& name,
                                onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& made = *node.add_attribute();
  made.set_name(name);
  made.set_type(type);
  return made;
}

onnx::TensorShapeProto& declare(onnx::ValueInfoProto& value, const std::string& name,
                                onnx::TensorProto::DataType type) {
  value.set_name(name);
  onnx::TypeProto::Tensor& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  return *tensor.mutable_shape();
}

}  // namespace

void set_attribute(onnx::NodeProto& node, const std::string& name, int64_t value) {
  attribute(node, name, onnx::AttributeProto::INT).set_i(value);
}

void set_attribute(onnx::NodeProto& node, const std::string& name, float value) {
  attribute(node, name, onnx::AttributeProto::FLOAT).set_f(value);
}

void set_attribute(onnx::NodeProto& node, const std::string& name,
                   const std::vector<int64_t>& values) {
  onnx::AttributeProto& made = attribute(node, name, onnx::AttributeProto::INTS);
  for (const int64_t value : values) made.add_ints(value);
}

void OnnxGraph::input(const std::string& name) {
  onnx::TensorShapeProto& shape = declare(*graph_.add_input(), name, onnx::TensorProto::INT64);
  shape.add_dim()->set_dim_param("batch");
  shape.add_dim()->set_dim_param("sequence");
}

void OnnxGraph::output(const std::string& name, const std::vector<std::string>& dynamic,
                       int64_t columns) {
  onnx::TensorShapeProto& shape = declare(*graph_.add_output(), name, onnx::TensorProto::FLOAT);
  for (const std::string& dim : dynamic) shape.add_dim()->set_dim_param(dim);
  shape.add_dim()->set_dim_value(columns);
}

onnx::TensorProto& OnnxGraph::constant(const std::string& name, onnx::TensorProto::DataType type,
                                       const std::vector<int64_t>& dims,
                                       std::span<const std::byte> bytes) {
  onnx::TensorProto& tensor = *graph_.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  tensor.set_raw_data(bytes.data(), bytes.size());
  return tensor;
}

std::string OnnxGraph::floats(const std::string& name, const std::vector<int64_t>& dims,
                              std::span<const float> values) {
  return constant(name, onnx::TensorProto::FLOAT, dims, std::as_bytes(values)).name();
}

std::string OnnxGraph::bytes(const std::string& name, const std::vector<int64_t>& dims,
                             std::span<const int8_t> values) {
  return constant(name, onnx::TensorProto::INT8, dims, std::as_bytes(values)).name();
}

std::string OnnxGraph::whole(const std::string& name, const std::vector<int64_t>& values) {
  return constant(name, onnx::TensorProto::INT64, {static_cast<int64_t>(values.size())},
                  std::as_bytes(std::span(values)))
      .name();
}

std::string OnnxGraph::whole_scalar(const std::string& name, int64_t value) {
  return constant(name, onnx::TensorProto::INT64, {}, std::as_bytes(std::span(&value, 1))).name();
}

onnx::NodeProto& OnnxGraph::node(const std::string& type, const std::string& name,
                                 const std::vector<std::string>& inputs) {
  onnx::NodeProto& made = *graph_.add_node();
  made.set_op_type(type);
  made.set_name(name);
  for (const std::string& value : inputs) made.add_input(value);
  made.add_output(name);
  return made;
}

std::string OnnxGraph::make(const std::string& type, const std::string& name,
                            const std::vector<std::string>& inputs) {
  return node(type, name, inputs).output(0);
}

}  // namespace headroom
