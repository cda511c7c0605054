#include "checkpoint/onnx/layers.h"

#include <algorithm>
#include <cmath>

#include "checkpoint/checkpoint.h"

namespace headroom {
namespace {

struct QuantisedMatrix {
  std::vector<int8_t> values;
  std::vector<float> scales;  // one per column
};

// Symmetric, with each column's largest weight at 127.
QuantisedMatrix quantise(const std::vector<float>& matrix, size_t columns) {
  QuantisedMatrix result{std::vector<int8_t>(matrix.size()), std::vector<float>(columns, 0.0F)};
  for (size_t i = 0; i < matrix.size(); ++i) {
    float& scale = result.scales[i % columns];
    scale = std::max(scale, std::abs(matrix[i]) / 127);
  }
  for (float& scale : result.scales) scale = scale == 0 ? 1.0F : scale;
  for (size_t i = 0; i < matrix.size(); ++i) {
    result.values[i] = static_cast<int8_t>(std::lround(matrix[i] / result.scales[i % columns]));
  }
  return result;
}

}  // namespace

Kept first(int64_t count) {
  Kept kept;
  for (int64_t i = 0; i < count; ++i) kept.push_back(i);
  return kept;
}

OnnxLayers::OnnxLayers(onnx::GraphProto& graph, const ModelConfig& config,
                       const std::filesystem::path& safetensors, OnnxPrecision precision)
    : graph_(graph),
      config_(config),
      shape_(config.shape),
      schema_(schema_of(config.shape)),
      file_(open_weights(safetensors, config)),
      precision_(precision) {
  one_ = graph_.scalar("one", 1);
  if (shape_.activation == ActivationKind::gelu ||
      schema_.pooler_activation == ActivationKind::gelu) {
    half_ = graph_.scalar("half", 0.5F);
    square_root_two_ = graph_.scalar("square_root_two", std::sqrt(2.0F));
  }
}

std::string OnnxLayers::index_zero() {
  if (index_zero_.empty()) index_zero_ = graph_.whole_scalar("index_zero", 0);
  return index_zero_;
}

std::vector<float> OnnxLayers::tensor(const std::string& name,
                                      const std::vector<int64_t>& dims) const {
  file_.expect_shape(name, dims);
  return file_.read_f32(name);
}

std::string OnnxLayers::linear(const std::string& name, const std::string& x, int64_t width_in,
                               int64_t width_out, const Kept& in, const Kept& out) {
  const std::vector<float> weight = tensor(name + ".weight", {width_out, width_in});
  std::vector<float> cut;
  cut.reserve(in.size() * out.size());
  for (const int64_t i : in) {
    for (const int64_t o : out) cut.push_back(weight[static_cast<size_t>(o * width_in + i)]);
  }
  const auto rows = static_cast<int64_t>(in.size());
  const auto columns = static_cast<int64_t>(out.size());
  const std::string product =
      precision_ == OnnxPrecision::int8
          ? int8_product(name, x, {rows, columns}, cut)
          : graph_.make("MatMul", name + ".product",
                        {x, graph_.floats(name + ".weight", {rows, columns}, cut)});
  if (file_.find(name + ".bias") == nullptr) return product;
  const std::vector<float> bias = tensor(name + ".bias", {width_out});
  std::vector<float> cut_bias;
  for (const int64_t o : out) cut_bias.push_back(bias[static_cast<size_t>(o)]);
  return graph_.make("Add", name, {product, graph_.floats(name + ".bias", {columns}, cut_bias)});
}

std::string OnnxLayers::dense(const std::string& layer, const std::string& name,
                              const std::string& x, int64_t rows,
                              const ScoreCalibration& calibration) {
  const std::string weight = layer + ".weight";
  const std::string bias = layer + ".bias";
  std::vector<float> matrix = tensor(weight, {rows, shape_.width});
  for (float& each : matrix) each = static_cast<float>(each / calibration.temperature);
  graph_.floats(weight, {rows, shape_.width}, matrix);
  std::vector<std::string> inputs = {x, weight};
  if (file_.find(bias) != nullptr) {
    std::vector<float> start = tensor(bias, {rows});
    for (float& each : start) each = static_cast<float>(calibration.apply(each));
    inputs.push_back(graph_.floats(bias, {rows}, start));
  }
  onnx::NodeProto& made = graph_.node("Gemm", name, inputs);
  set_attribute(made, "transB", int64_t{1});
  return made.output(0);
}

std::string OnnxLayers::norm(const std::string& name, const std::string& x, int64_t width) {
  const std::vector<int64_t> dims = {width};
  const std::string weight = name + ".weight";
  const std::string bias = name + ".bias";
  graph_.floats(weight, dims, tensor(weight, dims));
  graph_.floats(bias, dims,
                file_.find(bias) != nullptr ? tensor(bias, dims)
                                            : std::vector<float>(static_cast<size_t>(width), 0.0F));
  onnx::NodeProto& made = graph_.node("LayerNormalization", name, {x, weight, bias});
  set_attribute(made, "axis", int64_t{-1});
  set_attribute(made, "epsilon", static_cast<float>(config_.layer_norm_eps));
  return made.output(0);
}

std::string OnnxLayers::activation(const std::string& name, const std::string& x,
                                   ActivationKind kind) {
  if (kind == ActivationKind::gelu) return gelu(name, x);
  if (kind == ActivationKind::relu) return graph_.make("Relu", name, {x});
  if (kind == ActivationKind::tanh) return graph_.make("Tanh", name, {x});
  return sigmoid_gated(name, x, sigmoid_gate(kind));
}

// Activations as bytes; the three projections of a layer's input share them.
std::string OnnxLayers::quantised(const std::string& x) {
  if (!quantised_.contains(x)) {
    onnx::NodeProto& node = graph_.node("DynamicQuantizeLinear", x + ".int8", {x});
    node.add_output(x + ".scale");
    node.add_output(x + ".zero");
    quantised_[x] = node.output(0);
  }
  return quantised_[x];
}

std::string OnnxLayers::int8_product(const std::string& name, const std::string& x,
                                     const std::vector<int64_t>& dims,
                                     const std::vector<float>& matrix) {
  const QuantisedMatrix weight = quantise(matrix, static_cast<size_t>(dims[1]));
  const std::string bytes = quantised(x);
  const std::string sums =
      graph_.make("MatMulInteger", name + ".sums",
                  {bytes, graph_.bytes(name + ".weight", dims, weight.values), x + ".zero"});
  onnx::NodeProto& numbers = graph_.node("Cast", name + ".numbers", {sums});
  set_attribute(numbers, "to", int64_t{onnx::TensorProto::FLOAT});
  const std::string scales =
      graph_.make("Mul", name + ".scales",
                  {x + ".scale", graph_.floats(name + ".weight_scales", {dims[1]}, weight.scales)});
  return graph_.make("Mul", name + ".product", {name + ".numbers", scales});
}

// x * 0.5 * (1 + erf(x / sqrt(2)))
std::string OnnxLayers::gelu(const std::string& name, const std::string& x) {
  std::string bent = graph_.make("Div", name + ".scaled", {x, square_root_two_});
  bent = graph_.make("Erf", name + ".erf", {bent});
  bent = graph_.make("Add", name + ".share", {bent, one_});
  bent = graph_.make("Mul", name + ".doubled", {x, bent});
  return graph_.make("Mul", name, {bent, half_});
}

// x * sigmoid(x * (slope + cubic * x^2))
std::string OnnxLayers::sigmoid_gated(const std::string& name, const std::string& x,
                                      SigmoidGate gate) {
  std::string factor = graph_.scalar(name + ".slope", gate.slope);
  if (gate.cubic != 0) {
    const std::string square = graph_.make("Mul", name + ".square", {x, x});
    const std::string scaled =
        graph_.make("Mul", name + ".scaled", {square, graph_.scalar(name + ".cubic", gate.cubic)});
    factor = graph_.make("Add", name + ".factor", {scaled, factor});
  }
  const std::string logit = graph_.make("Mul", name + ".logit", {x, factor});
  const std::string share = graph_.make("Sigmoid", name + ".share", {logit});
  return graph_.make("Mul", name, {x, share});
}

}  // namespace headroom
