#include "checkpoint/onnx/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "budget/cost.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/onnx/graph.h"
#include "checkpoint/onnx/positions.h"
#include "checkpoint/tensors/safetensors.h"
#include "families/families.h"
#include "families/relative_positions.h"

namespace headroom {
namespace {

constexpr int64_t ir_version = 8;      // what opset 17 came with
constexpr int64_t opset_version = 17;  // LayerNormalization is one node

// Units of a layer that are kept, as columns or rows of its matrices.
using Kept = std::vector<int64_t>;

Kept first(int64_t count) {
  Kept kept;
  for (int64_t i = 0; i < count; ++i) kept.push_back(i);
  return kept;
}

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

// The network of model/forward.cpp. Linear weights are stored (out, in); MatMul wants (in, out).
class EncoderGraph {
 public:
  EncoderGraph(onnx::GraphProto& graph, const ModelConfig& config,
               const std::filesystem::path& safetensors, OnnxPrecision precision)
      : graph_(graph),
        config_(config),
        shape_(config.shape),
        schema_(schema_of(config.shape)),
        stored_(config.everything()),
        file_(open_weights(safetensors, config)),
        precision_(precision),
        positions_(graph_, config.shape) {}

  void build(const Selection& selection) {
    for (const char* name : {"input_ids", "attention_mask"}) graph_.input(name);
    if (shape_.token_types > 0) graph_.input("token_type_ids");
    add_constants();
    std::string x = embed();
    const std::string key_bias = mask();
    if (shape_.relative_buckets > 0) add_relative_bias(key_bias);
    for (int64_t i = 0; i < shape_.layers; ++i) {
      if (selection.heads_of(i) > 0) {
        const std::string in = block_input(Role::attention_norm, i, x);
        const std::string bias = score_bias(key_bias, i, selection);
        x = residual(Role::attention_norm, i, attention(in, bias, i, selection), x);
      }
      const int64_t neurons = selection.ffn_of(i, shape_.ffn);
      if (neurons > 0) {
        x = residual(Role::ffn_norm, i, ffn(block_input(Role::ffn_norm, i, x), i, neurons), x);
      }
    }
    if (pre_norm()) x = norm(schema_.name_of({Role::final_norm}), x, shape_.width);
    precision_ = OnnxPrecision::fp32;  // heads are small, and their errors would be the answer's
    switch (config_.output_head()) {
      case OutputHead::tagger:
        return tag(x);
      case OutputHead::vector:
        return pool(x);
      default:
        return classify(x);
    }
  }

 private:
  bool pre_norm() const { return shape_.form.norms == NormOrder::pre; }

  std::vector<float> tensor(const std::string& name, const std::vector<int64_t>& dims) const {
    file_.expect_shape(name, dims);
    return file_.read_f32(name);
  }

  void add_constants() {
    one_ = graph_.scalar("one", 1);
    if (shape_.activation == ActivationKind::gelu ||
        schema_.pooler_activation == ActivationKind::gelu) {
      half_ = graph_.scalar("half", 0.5F);
      square_root_two_ = graph_.scalar("square_root_two", std::sqrt(2.0F));
    }
    hidden_key_ = graph_.scalar("hidden_key", std::numeric_limits<float>::lowest());
    head_width_root_ = graph_.scalar(
        "head_width_root",
        std::sqrt(static_cast<float>(shape_.disentangled.terms() * shape_.head_width())));
  }

  std::string index_zero() {
    if (index_zero_.empty()) index_zero_ = graph_.whole_scalar("index_zero", 0);
    return index_zero_;
  }

  std::string in_layer(Role role, int64_t layer) const {
    return schema_.name_of({role, Stack::encoder, layer});
  }

  std::string table(Role role, int64_t rows) {
    const std::string full = schema_.name_of({role}) + ".weight";
    const std::vector<int64_t> dims = {rows, shape_.embedding_width()};
    return graph_.floats(full, dims, tensor(full, dims));
  }

  std::string embed() {
    std::string rows =
        graph_.make("Gather", "word_rows", {table(Role::words, shape_.vocabulary), "input_ids"});
    if (shape_.token_types > 0) {
      const std::string types = graph_.make(
          "Gather", "type_rows", {table(Role::types, shape_.token_types), "token_type_ids"});
      rows = graph_.make("Add", "words_and_types", {rows, types});
    }
    if (shape_.has_position_table()) {
      rows = graph_.make("Add", "embeddings", {rows, positions()});
    }
    const std::string x =
        norm(schema_.name_of({Role::embedding_norm}), rows, shape_.embedding_width());
    if (shape_.embedding == 0) return x;
    return linear(schema_.name_of({Role::embedding_projection}), x, shape_.embedding, shape_.width,
                  first(shape_.embedding), first(shape_.width));
  }

  std::string positions() {
    const std::string rows = table(Role::positions, shape_.position_rows());
    if (shape_.padding_position >= 0) {
      return graph_.make("Gather", "position_rows", {rows, counted_positions()});
    }
    return graph_.make("Slice", "position_rows",
                       {rows, graph_.whole("from_start", {0}), positions_.length(),
                        graph_.whole("first_axis", {0})});
  }

  // The padding token's position for that token, the next ones in turn for all others.
  std::string counted_positions() {
    const std::string padding = graph_.whole_scalar("padding_position", shape_.padding_position);
    const std::string is_padding = graph_.make("Equal", "is_padding", {"input_ids", padding});
    const std::string is_token = graph_.make("Not", "is_token", {is_padding});
    onnx::NodeProto& counted = graph_.node("Cast", "counted_tokens", {is_token});
    set_attribute(counted, "to", int64_t{onnx::TensorProto::INT64});
    const std::string sums = graph_.make("CumSum", "token_counts",
                                         {"counted_tokens", graph_.whole_scalar("count_axis", 1)});
    const std::string numbers = graph_.make("Mul", "token_numbers", {sums, "counted_tokens"});
    return graph_.make("Add", "positions", {numbers, padding});
  }

  // 0 where a key may be looked at, a number far below every score where it is padding.
  std::string mask() {
    const std::string by_head = graph_.make("Unsqueeze", "mask_by_head",
                                            {"attention_mask", graph_.whole("second_axis", {1})});
    const std::string by_row =
        graph_.make("Unsqueeze", "mask_by_row", {by_head, graph_.whole("third_axis", {2})});
    onnx::NodeProto& seen = graph_.node("Cast", "seen_keys", {by_row});
    set_attribute(seen, "to", int64_t{onnx::TensorProto::FLOAT});
    const std::string padding = graph_.make("Sub", "padding_keys", {one_, "seen_keys"});
    return graph_.make("Mul", "key_bias", {padding, hidden_key_});
  }

  // Adds what heads add to scores, by distance, to the mask: (batch, heads, queries, keys).
  void add_relative_bias(const std::string& key_bias) {
    const std::string name = schema_.name_of({Role::relative_bias});
    const std::vector<float> table =
        tensor(name + ".weight", {shape_.relative_buckets, shape_.heads});
    const int64_t P = shape_.positions;
    std::vector<float> by_distance;
    for (const int64_t bucket : relative_buckets(P, shape_.relative_buckets)) {
      const auto row = table.begin() + bucket * shape_.heads;
      by_distance.insert(by_distance.end(), row, row + shape_.heads);
    }
    onnx::NodeProto& length = graph_.node("Shape", "bias_length", {"input_ids"});
    set_attribute(length, "start", int64_t{1});
    const std::string tokens = graph_.make("Squeeze", "bias_tokens",
                                           {"bias_length", graph_.whole("bias_length_axis", {0})});
    const std::string positions = graph_.make(
        "Range", "bias_places", {index_zero(), tokens, graph_.whole_scalar("bias_step", 1)});
    const std::string queries =
        graph_.make("Unsqueeze", "bias_queries", {positions, graph_.whole("bias_query_axis", {1})});
    const std::string distances = graph_.make("Sub", "bias_distances", {queries, positions});
    const std::string rows = graph_.make(
        "Add", "bias_rows", {distances, graph_.whole_scalar("bias_distance_zero", P - 1)});
    graph_.make("Gather", "bias_values",
                {graph_.floats(name, {2 * P - 1, shape_.heads}, by_distance), rows});
    onnx::NodeProto& by_head = graph_.node("Transpose", "bias_by_head", {"bias_values"});
    set_attribute(by_head, "perm", std::vector<int64_t>{2, 0, 1});
    graph_.make("Add", "masked_bias", {key_bias, "bias_by_head"});
  }

  // The part of that which the layer's heads have; without any, the mask.
  std::string score_bias(const std::string& key_bias, int64_t layer, const Selection& selection) {
    if (shape_.relative_buckets == 0) return key_bias;
    const std::vector<int32_t>& heads = selection.kept[static_cast<size_t>(layer)];
    if (static_cast<int64_t>(heads.size()) == shape_.heads) return "masked_bias";
    const std::string name = fmt::format("layer.{}.", layer);
    onnx::NodeProto& own =
        graph_.node("Gather", name + "bias",
                    {"masked_bias", graph_.whole(name + "heads", {heads.begin(), heads.end()})});
    set_attribute(own, "axis", int64_t{1});
    return own.output(0);
  }

  // Rows `out` and columns `in` of a stored matrix, transposed, and the same part of its bias.
  std::string linear(const std::string& name, const std::string& x, int64_t width_in,
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

  // Activations as bytes; the three projections of a layer's input share them.
  std::string quantised(const std::string& x) {
    if (!quantised_.contains(x)) {
      onnx::NodeProto& node = graph_.node("DynamicQuantizeLinear", x + ".int8", {x});
      node.add_output(x + ".scale");
      node.add_output(x + ".zero");
      quantised_[x] = node.output(0);
    }
    return quantised_[x];
  }

  std::string int8_product(const std::string& name, const std::string& x,
                           const std::vector<int64_t>& dims, const std::vector<float>& matrix) {
    const QuantisedMatrix weight = quantise(matrix, static_cast<size_t>(dims[1]));
    const std::string bytes = quantised(x);
    const std::string sums =
        graph_.make("MatMulInteger", name + ".sums",
                    {bytes, graph_.bytes(name + ".weight", dims, weight.values), x + ".zero"});
    onnx::NodeProto& numbers = graph_.node("Cast", name + ".numbers", {sums});
    set_attribute(numbers, "to", int64_t{onnx::TensorProto::FLOAT});
    const std::string scales = graph_.make(
        "Mul", name + ".scales",
        {x + ".scale", graph_.floats(name + ".weight_scales", {dims[1]}, weight.scales)});
    return graph_.make("Mul", name + ".product", {name + ".numbers", scales});
  }

  std::string by_head(const std::string& name, const std::string& x, const std::string& layout,
                      const std::vector<int64_t>& order) {
    const std::string split = graph_.make("Reshape", name + ".split", {x, layout});
    onnx::NodeProto& transposed = graph_.node("Transpose", name + ".by_head", {split});
    set_attribute(transposed, "perm", order);
    return transposed.output(0);
  }

  // The columns of the kept heads, as they lie among those that the file holds.
  Kept head_columns(int64_t layer, const Selection& selection) const {
    const std::vector<int32_t>& stored = stored_.kept[static_cast<size_t>(layer)];
    Kept columns;
    for (const int32_t head : selection.kept[static_cast<size_t>(layer)]) {
      const auto index = std::lower_bound(stored.begin(), stored.end(), head) - stored.begin();
      for (int64_t w = 0; w < shape_.head_width(); ++w) {
        columns.push_back(index * shape_.head_width() + w);
      }
    }
    return columns;
  }

  std::string attention(const std::string& x, const std::string& key_bias, int64_t layer,
                        const Selection& selection) {
    const std::string prefix = fmt::format("layer.{}.attention.", layer);
    const int64_t D = shape_.width;
    const int64_t W = shape_.head_width();
    const int64_t E = stored_.heads_of(layer) * W;
    const Kept columns = head_columns(layer, selection);
    const int64_t count = selection.heads_of(layer);
    const std::string layout = graph_.whole(prefix + "heads", {0, 0, count, W});
    const auto part = [&](Role role, const std::vector<int64_t>& order) {
      const std::string full = in_layer(role, layer);
      return by_head(full, linear(full, x, D, E, first(D), columns), layout, order);
    };
    const double theta = shape_.rotary.theta_of(layer);
    std::string query = part(Role::query, {0, 2, 1, 3});
    std::string key;
    if (theta > 0) {
      query = positions_.rotated(prefix + "query", query, theta);
      key = positions_.rotated(prefix + "key", part(Role::key, {0, 2, 1, 3}), theta);
      onnx::NodeProto& by_column = graph_.node("Transpose", prefix + "keys_by_column", {key});
      set_attribute(by_column, "perm", std::vector<int64_t>{0, 1, 3, 2});
      key = by_column.output(0);
    } else {
      key = part(Role::key, {0, 2, 3, 1});
    }
    const std::string value = part(Role::value, {0, 2, 1, 3});
    const int64_t window = shape_.rotary.window_of(layer);
    const std::string bias = window > 0 ? positions_.with_window(key_bias, window) : key_bias;
    std::string scores = graph_.make("MatMul", prefix + "products", {query, key});
    if (shape_.disentangled.farthest > 0) {
      scores = with_relative_scores(scores, query, key, layer, columns);
    }
    scores = graph_.make("Div", prefix + "scores", {scores, head_width_root_});
    scores = graph_.make("Add", prefix + "masked_scores", {scores, bias});
    onnx::NodeProto& softmax = graph_.node("Softmax", prefix + "softmax", {scores});
    set_attribute(softmax, "axis", int64_t{3});
    const std::string mixed = graph_.make("MatMul", prefix + "mixed", {softmax.output(0), value});
    onnx::NodeProto& by_token = graph_.node("Transpose", prefix + "by_token", {mixed});
    set_attribute(by_token, "perm", std::vector<int64_t>{0, 2, 1, 3});
    const std::string context =
        graph_.make("Reshape", prefix + "context",
                    {by_token.output(0), graph_.whole(prefix + "joined", {0, 0, count * W})});
    return linear(in_layer(Role::attention_output, layer), context, E, D, columns, first(D));
  }

  // The normalised table of relative positions: rows x D.
  const std::vector<float>& relative_table() {
    if (!relative_table_.empty()) return relative_table_;
    const int64_t D = shape_.width;
    const DisentangledShape& relative = shape_.disentangled;
    relative_table_ = tensor(schema_.name_of({Role::relative}) + ".weight", {relative.rows(), D});
    if (!relative.norm) return relative_table_;
    const std::string name = schema_.name_of({Role::relative_norm});
    const std::vector<float> weight = tensor(name + ".weight", {D});
    const std::vector<float> bias = tensor(name + ".bias", {D});
    const auto width = static_cast<size_t>(D);
    for (auto row = relative_table_.begin(); row != relative_table_.end(); row += D) {
      const double mean = std::accumulate(row, row + D, 0.0) / static_cast<double>(D);
      double variance = 0;
      for (size_t d = 0; d < width; ++d) {
        const double deviation = row[static_cast<std::ptrdiff_t>(d)] - mean;
        variance += deviation * deviation / static_cast<double>(D);
      }
      const double factor = 1 / std::sqrt(variance + config_.layer_norm_eps);
      for (size_t d = 0; d < width; ++d) {
        float& x = row[static_cast<std::ptrdiff_t>(d)];
        x = static_cast<float>((x - mean) * factor) * weight[d] + bias[d];
      }
    }
    return relative_table_;
  }

  // Relative positions as the heads with these columns see them: (heads, W, rows).
  std::string relative_positions(const std::string& name, Role role, int64_t layer,
                                 const Kept& columns) {
    const int64_t D = shape_.width;
    const int64_t W = shape_.head_width();
    const int64_t rows = shape_.disentangled.rows();
    const int64_t E = stored_.heads_of(layer) * W;
    const std::vector<float>& table = relative_table();
    const std::vector<float> weight = tensor(in_layer(role, layer) + ".weight", {E, D});
    const std::vector<float> bias = tensor(in_layer(role, layer) + ".bias", {E});
    std::vector<float> projected;
    for (const int64_t column : columns) {
      const auto own = weight.begin() + column * D;
      for (int64_t row = 0; row < rows; ++row) {
        projected.push_back(std::inner_product(own, own + D, table.begin() + row * D,
                                               bias[static_cast<size_t>(column)]));
      }
    }
    const auto heads = static_cast<int64_t>(columns.size()) / W;
    return graph_.floats(name, {heads, W, rows}, projected);
  }

  // Adds what is between contents and relative positions. query (B, H, T, W), key (B, H, W, T).
  std::string with_relative_scores(std::string scores, const std::string& query,
                                   const std::string& key, int64_t layer, const Kept& columns) {
    const DisentangledShape& relative = shape_.disentangled;
    const std::string prefix = fmt::format("layer.{}.relative.", layer);
    const std::string all = graph_.make("Shape", prefix + "shape", {scores});
    const std::string rows =
        graph_.make("Expand", prefix + "rows", {positions_.relative_rows(), all});
    const auto add = [&](const std::string& kind, const std::string& products, int64_t axis) {
      onnx::NodeProto& taken =
          graph_.node("GatherElements", prefix + kind + ".scores", {products, rows});
      set_attribute(taken, "axis", axis);
      scores = graph_.make("Add", prefix + kind + ".sum", {scores, taken.output(0)});
    };
    if (relative.content_to_position) {
      const Role role = relative.shared_projections ? Role::key : Role::relative_key;
      const std::string keys = relative_positions(prefix + "keys", role, layer, columns);
      add("keys", graph_.make("MatMul", prefix + "keys.products", {query, keys}), 3);
    }
    if (relative.position_to_content) {
      const Role role = relative.shared_projections ? Role::query : Role::relative_query;
      onnx::NodeProto& queries =
          graph_.node("Transpose", prefix + "queries.by_row",
                      {relative_positions(prefix + "queries", role, layer, columns)});
      set_attribute(queries, "perm", std::vector<int64_t>{0, 2, 1});
      add("queries", graph_.make("MatMul", prefix + "queries.products", {queries.output(0), key}),
          2);
    }
    return scores;
  }

  // x * 0.5 * (1 + erf(x / sqrt(2)))
  std::string gelu(const std::string& name, const std::string& x) {
    std::string bent = graph_.make("Div", name + ".scaled", {x, square_root_two_});
    bent = graph_.make("Erf", name + ".erf", {bent});
    bent = graph_.make("Add", name + ".share", {bent, one_});
    bent = graph_.make("Mul", name + ".doubled", {x, bent});
    return graph_.make("Mul", name, {bent, half_});
  }

  // x * sigmoid(x * (slope + cubic * x^2))
  std::string sigmoid_gated(const std::string& name, const std::string& x, SigmoidGate gate) {
    std::string factor = graph_.scalar(name + ".slope", gate.slope);
    if (gate.cubic != 0) {
      const std::string square = graph_.make("Mul", name + ".square", {x, x});
      const std::string scaled = graph_.make("Mul", name + ".scaled",
                                             {square, graph_.scalar(name + ".cubic", gate.cubic)});
      factor = graph_.make("Add", name + ".factor", {scaled, factor});
    }
    const std::string logit = graph_.make("Mul", name + ".logit", {x, factor});
    const std::string share = graph_.make("Sigmoid", name + ".share", {logit});
    return graph_.make("Mul", name, {x, share});
  }

  std::string activation(const std::string& name, const std::string& x, ActivationKind kind) {
    if (kind == ActivationKind::gelu) return gelu(name, x);
    if (kind == ActivationKind::relu) return graph_.make("Relu", name, {x});
    if (kind == ActivationKind::tanh) return graph_.make("Tanh", name, {x});
    return sigmoid_gated(name, x, sigmoid_gate(kind));
  }

  std::string ffn(const std::string& x, int64_t layer, int64_t neurons) {
    const int64_t D = shape_.width;
    const int64_t F = stored_.ffn_of(layer, shape_.ffn);
    const std::string wide = linear(in_layer(Role::up, layer), x, D, F, first(D), first(neurons));
    std::string hidden =
        activation(fmt::format("layer.{}.{}", layer, activation_name(shape_.activation)), wide,
                   shape_.activation);
    if (shape_.form.gated_ffn) {
      hidden = graph_.make(
          "Mul", fmt::format("layer.{}.gated", layer),
          {hidden, linear(in_layer(Role::gate, layer), x, D, F, first(D), first(neurons))});
    }
    return linear(in_layer(Role::down, layer), hidden, F, D, first(neurons), first(D));
  }

  // What attention or FFN reads, where norms come first.
  std::string block_input(Role norm_role, int64_t layer, const std::string& x) {
    const bool normed = pre_norm() && (norm_role != Role::attention_norm || layer > 0);
    return normed ? norm(in_layer(norm_role, layer), x, shape_.width) : x;
  }

  std::string residual(Role norm_role, int64_t layer, const std::string& change,
                       const std::string& x) {
    const std::string name = in_layer(norm_role, layer);
    const std::string sum = graph_.make("Add", name + ".residual", {change, x});
    return pre_norm() ? sum : norm(name, sum, shape_.width);
  }

  std::string norm(const std::string& name, const std::string& x, int64_t width) {
    const std::vector<int64_t> dims = {width};
    const std::string weight = name + ".weight";
    const std::string bias = name + ".bias";
    graph_.floats(weight, dims, tensor(weight, dims));
    graph_.floats(bias, dims,
                  file_.find(bias) != nullptr
                      ? tensor(bias, dims)
                      : std::vector<float>(static_cast<size_t>(width), 0.0F));
    onnx::NodeProto& made = graph_.node("LayerNormalization", name, {x, weight, bias});
    set_attribute(made, "axis", int64_t{-1});
    set_attribute(made, "epsilon", static_cast<float>(config_.layer_norm_eps));
    return made.output(0);
  }

  // Gemm takes a weight as it is stored.
  std::string dense(const std::string& layer, const std::string& name, const std::string& x,
                    int64_t rows) {
    const std::string weight = layer + ".weight";
    const std::string bias = layer + ".bias";
    graph_.floats(weight, {rows, shape_.width}, tensor(weight, {rows, shape_.width}));
    std::vector<std::string> inputs = {x, weight};
    if (file_.find(bias) != nullptr) {
      inputs.push_back(graph_.floats(bias, {rows}, tensor(bias, {rows})));
    }
    onnx::NodeProto& made = graph_.node("Gemm", name, inputs);
    set_attribute(made, "transB", int64_t{1});
    return made.output(0);
  }

  std::string first_token(const std::string& x) {
    onnx::NodeProto& row = graph_.node("Gather", "first_token", {x, index_zero()});
    set_attribute(row, "axis", int64_t{1});
    return row.output(0);
  }

  // Over the tokens that are no padding.
  std::string mean_token(const std::string& x) {
    onnx::NodeProto& real = graph_.node("Cast", "real_tokens", {"attention_mask"});
    set_attribute(real, "to", int64_t{onnx::TensorProto::FLOAT});
    const std::string weights = graph_.make(
        "Unsqueeze", "token_weights", {"real_tokens", graph_.whole("token_weight_axis", {2})});
    const std::string axis = graph_.whole("token_axis", {1});
    const auto sum = [&](const std::string& name, const std::string& of) {
      onnx::NodeProto& made = graph_.node("ReduceSum", name, {of, axis});
      set_attribute(made, "keepdims", int64_t{0});
      return made.output(0);
    };
    const std::string rows = graph_.make("Mul", "weighted_tokens", {x, weights});
    return graph_.make("Div", "mean_token", {sum("token_sum", rows), sum("token_count", weights)});
  }

  void classify(const std::string& x) {
    const std::string row = shape_.mean_pooling ? mean_token(x) : first_token(x);
    std::string pooled = dense(schema_.name_of({Role::pooler}), "pooled", row, shape_.width);
    pooled = activation("pooled_activation", pooled, schema_.pooler_activation);
    if (shape_.form.pooler_norm) {
      pooled = norm(schema_.name_of({Role::pooler_norm}), pooled, shape_.width);
    }
    dense(schema_.name_of({Role::classifier}), "logits", pooled, shape_.labels);
    graph_.output("logits", {"batch"}, shape_.labels);
  }

  void tag(const std::string& x) {
    const std::string logits = linear(schema_.name_of({Role::tagger}), x, shape_.width,
                                      shape_.labels, first(shape_.width), first(shape_.labels));
    graph_.make("Identity", "logits", {logits});
    graph_.output("logits", {"batch", "sequence"}, shape_.labels);
  }

  // The largest value of each dimension, over the tokens that are no padding.
  std::string largest_token(const std::string& x) {
    const std::string row =
        graph_.make("Squeeze", "padding_row", {"key_bias", graph_.whole("padding_axis", {1})});
    onnx::NodeProto& padding = graph_.node("Transpose", "padding_tokens", {row});
    set_attribute(padding, "perm", std::vector<int64_t>{0, 2, 1});
    onnx::NodeProto& largest =
        graph_.node("ReduceMax", "largest_token",
                    {graph_.make("Add", "tokens_or_least", {x, "padding_tokens"})});
    set_attribute(largest, "axes", std::vector<int64_t>{1});
    set_attribute(largest, "keepdims", int64_t{0});
    return largest.output(0);
  }

  void pool(const std::string& x) {
    const VectorConfig& vector = config_.output.vector;
    std::string row = vector.pooling == Pooling::mean  ? mean_token(x)
                      : vector.pooling == Pooling::cls ? first_token(x)
                                                       : largest_token(x);
    if (shape_.dense > 0) {
      row = dense(schema_.name_of({Role::dense}), "projected", row, shape_.dense);
      if (vector.activation == DenseActivation::tanh) {
        row = graph_.make("Tanh", "projected_tanh", {row});
      }
    }
    if (vector.normalize) {
      onnx::NodeProto& length = graph_.node("ReduceL2", "vector_length", {row});
      set_attribute(length, "axes", std::vector<int64_t>{1});
      row = graph_.make("Div", "normalised", {row, length.output(0)});
    }
    graph_.make("Identity", "sentence_embedding", {row});
    graph_.output("sentence_embedding", {"batch"}, shape_.vector_width());
  }

  OnnxGraph graph_;
  const ModelConfig& config_;
  const ModelShape& shape_;
  const ModelSchema& schema_;
  Selection stored_;  // what the file holds
  SafetensorsFile file_;
  OnnxPrecision precision_;
  OnnxPositions positions_;
  std::vector<float> relative_table_;
  std::map<std::string, std::string> quantised_;  // by the name of what they were made from
  std::string one_, half_, square_root_two_, hidden_key_, head_width_root_, index_zero_;
};

void add_metadata(onnx::ModelProto& model, const std::string& key, const std::string& value) {
  onnx::StringStringEntryProto& entry = *model.add_metadata_props();
  entry.set_key(key);
  entry.set_value(value);
}

}  // namespace

std::string onnx_model(const std::filesystem::path& checkpoint, double budget,
                       OnnxPrecision precision) {
  const ModelConfig config = read_config(checkpoint);
  require_answers(config, checkpoint);
  if (config.shape.attention != AttentionKind::standard) {
    throw Error(ErrorCode::usage, "write ONNX",
                fmt::format("its attention is {}, only standard attention is exported",
                            attention_name(config.shape.attention)));
  }
  require_fixed_heads(config, "write ONNX");
  const Selection selection = config.selection(budget);
  const int64_t bytes = parameter_count(config.shape, selection) * int64_t{sizeof(float)};
  constexpr int64_t most_bytes = int64_t{2000} << 20;  // protobuf ends at 2 GiB, names included
  if (bytes > most_bytes) {
    throw Error(ErrorCode::usage, "write ONNX",
                fmt::format("the weights take {} MiB, an ONNX file holds {} at most", bytes >> 20,
                            most_bytes >> 20));
  }
  onnx::ModelProto model;
  model.set_ir_version(ir_version);
  model.set_producer_name("headroom");
  model.set_producer_version(HEADROOM_VERSION);
  onnx::OperatorSetIdProto& opset = *model.add_opset_import();
  opset.set_domain("");
  opset.set_version(opset_version);
  add_metadata(model, "headroom_version", HEADROOM_VERSION);
  add_metadata(model, "budget", fmt::format("{}", budget));
  add_metadata(model, "precision", precision == OnnxPrecision::int8 ? "int8" : "fp32");
  add_metadata(model, "labels", Json(config.labels).dump());
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name(fmt::format("{}_classifier", config.shape.family));
  EncoderGraph(graph, config, checkpoint / "model.safetensors", precision).build(selection);
  return model.SerializeAsString();
}

}  // namespace headroom
