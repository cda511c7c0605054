#include "checkpoint/onnx/positions.h"

#include <fmt/format.h>

#include <numeric>

#include "families/positions.h"

namespace headroom {

std::string OnnxPositions::length() {
  if (length_.empty()) {
    onnx::NodeProto& node = graph_.node("Shape", "length", {"input_ids"});
    set_attribute(node, "start", int64_t{1});
    length_ = node.output(0);
  }
  return length_;
}

std::string OnnxPositions::first_rows(const std::string& name, const std::string& table) {
  return graph_.make(
      "Slice", name,
      {table, graph_.whole(name + ".start", {0}), length(), graph_.whole(name + ".axis", {0})});
}

std::string OnnxPositions::rotated(const std::string& name, const std::string& x, double theta) {
  if (!rotary_.contains(theta)) {
    const int64_t half = shape_.head_width() / 2;
    const RotaryTable table = rotary_table(theta, shape_.positions, half);
    const auto rows = [&](const std::string& kind, const std::vector<float>& values) {
      const std::string full = fmt::format("rotary.{}.{}", theta, kind);
      return first_rows(full, graph_.floats(full + ".table", {shape_.positions, half}, values));
    };
    rotary_[theta] = {rows("cosines", table.cosines), rows("sines", table.sines)};
  }
  const auto& [cosines, sines] = rotary_[theta];
  onnx::NodeProto& halves = graph_.node("Split", name + ".first", {x});
  halves.add_output(name + ".second");
  set_attribute(halves, "axis", int64_t{-1});
  const std::string a = name + ".first";
  const std::string b = name + ".second";
  const auto product = [&](const std::string& part, const std::string& left,
                           const std::string& right) {
    return graph_.make("Mul", name + part, {left, right});
  };
  const std::string low = graph_.make("Sub", name + ".low",
                                      {product(".a_cos", a, cosines), product(".b_sin", b, sines)});
  const std::string high = graph_.make(
      "Add", name + ".high", {product(".b_cos", b, cosines), product(".a_sin", a, sines)});
  onnx::NodeProto& whole = graph_.node("Concat", name + ".rotated", {low, high});
  set_attribute(whole, "axis", int64_t{-1});
  return whole.output(0);
}

std::string OnnxPositions::relative_rows() {
  if (relative_rows_.empty()) {
    const int64_t P = shape_.positions;
    std::vector<int64_t> numbers(static_cast<size_t>(P));
    std::iota(numbers.begin(), numbers.end(), 0);
    const std::string positions =
        first_rows("relative.positions", graph_.whole("relative.numbers", numbers));
    const std::string queries = graph_.make("Unsqueeze", "relative.queries",
                                            {positions, graph_.whole("relative.query_axis", {1})});
    const std::string distances = graph_.make("Sub", "relative.distances", {queries, positions});
    const std::string indices = graph_.make(
        "Add", "relative.indices", {distances, graph_.whole_scalar("relative.zero", P - 1)});
    const std::vector<int32_t> rows = disentangled_rows(shape_.disentangled, P);
    relative_rows_ =
        graph_.make("Gather", "relative.rows",
                    {graph_.whole("relative.by_distance", {rows.begin(), rows.end()}), indices});
  }
  return relative_rows_;
}

std::string OnnxPositions::with_window(const std::string& key_bias, int64_t window) {
  if (window_bias_.empty()) {
    std::vector<float> numbers(static_cast<size_t>(shape_.positions));
    std::iota(numbers.begin(), numbers.end(), 0.0F);
    const std::string positions = first_rows(
        "window.positions", graph_.floats("window.numbers", {shape_.positions}, numbers));
    const std::string queries = graph_.make("Unsqueeze", "window.queries",
                                            {positions, graph_.whole("window.query_axis", {1})});
    const std::string distance = graph_.make(
        "Abs", "window.distance", {graph_.make("Sub", "window.difference", {queries, positions})});
    const std::string far = graph_.make(
        "Greater", "window.far", {distance, graph_.scalar("window", static_cast<float>(window))});
    onnx::NodeProto& hidden = graph_.node("Cast", "window.hidden", {far});
    set_attribute(hidden, "to", int64_t{onnx::TensorProto::FLOAT});
    const std::string bias = graph_.make(
        "Mul", "window.bias", {"window.hidden", graph_.scalar("window.far_key", -1e30F)});
    window_bias_ = graph_.make("Add", "window.key_bias", {key_bias, bias});
  }
  return window_bias_;
}

}  // namespace headroom
