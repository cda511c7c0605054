#include "checkpoint/onnx/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "checkpoint/onnx/positions.h"
#include "families/relative_positions.h"

namespace headroom {
namespace {

// The network of model/forward.cpp.
class EncoderGraph {
 public:
  explicit EncoderGraph(OnnxLayers& layers)
      : layers_(layers),
        graph_(layers.graph()),
        config_(layers.config()),
        shape_(config_.shape),
        schema_(layers.schema()),
        stored_(config_.everything()),
        positions_(graph_, shape_) {
    hidden_key_ = graph_.scalar("hidden_key", std::numeric_limits<float>::lowest());
    head_width_root_ = graph_.scalar(
        "head_width_root",
        std::sqrt(static_cast<float>(shape_.disentangled.terms() * shape_.head_width())));
  }

  std::string build(const Selection& selection) {
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
    return pre_norm() ? layers_.norm(schema_.name_of({Role::final_norm}), x, shape_.width) : x;
  }

 private:
  bool pre_norm() const { return shape_.form.norms == NormOrder::pre; }

  std::string in_layer(Role role, int64_t layer) const {
    return schema_.name_of({role, Stack::encoder, layer});
  }

  std::string table(Role role, int64_t rows) {
    const std::string full = schema_.name_of({role}) + ".weight";
    const std::vector<int64_t> dims = {rows, shape_.embedding_width()};
    return graph_.floats(full, dims, layers_.tensor(full, dims));
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
        layers_.norm(schema_.name_of({Role::embedding_norm}), rows, shape_.embedding_width());
    if (shape_.embedding == 0) return x;
    return layers_.linear(schema_.name_of({Role::embedding_projection}), x, shape_.embedding,
                          shape_.width, first(shape_.embedding), first(shape_.width));
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
    const std::string padding = graph_.make("Sub", "padding_keys", {layers_.one(), "seen_keys"});
    return graph_.make("Mul", "key_bias", {padding, hidden_key_});
  }

  // Adds what heads add to scores, by distance, to the mask: (batch, heads, queries, keys).
  void add_relative_bias(const std::string& key_bias) {
    const std::string name = schema_.name_of({Role::relative_bias});
    const std::vector<float> table =
        layers_.tensor(name + ".weight", {shape_.relative_buckets, shape_.heads});
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
    const std::string positions =
        graph_.make("Range", "bias_places",
                    {layers_.index_zero(), tokens, graph_.whole_scalar("bias_step", 1)});
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
      return by_head(full, layers_.linear(full, x, D, E, first(D), columns), layout, order);
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
    return layers_.linear(in_layer(Role::attention_output, layer), context, E, D, columns,
                          first(D));
  }

  // The normalised table of relative positions: rows x D.
  const std::vector<float>& relative_table() {
    if (!relative_table_.empty()) return relative_table_;
    const int64_t D = shape_.width;
    const DisentangledShape& relative = shape_.disentangled;
    relative_table_ =
        layers_.tensor(schema_.name_of({Role::relative}) + ".weight", {relative.rows(), D});
    if (!relative.norm) return relative_table_;
    const std::string name = schema_.name_of({Role::relative_norm});
    const std::vector<float> weight = layers_.tensor(name + ".weight", {D});
    const std::vector<float> bias = layers_.tensor(name + ".bias", {D});
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
    const std::vector<float> weight = layers_.tensor(in_layer(role, layer) + ".weight", {E, D});
    const std::vector<float> bias = layers_.tensor(in_layer(role, layer) + ".bias", {E});
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

  std::string ffn(const std::string& x, int64_t layer, int64_t neurons) {
    const int64_t D = shape_.width;
    const int64_t F = stored_.ffn_of(layer, shape_.ffn);
    const std::string wide =
        layers_.linear(in_layer(Role::up, layer), x, D, F, first(D), first(neurons));
    std::string hidden =
        layers_.activation(fmt::format("layer.{}.{}", layer, activation_name(shape_.activation)),
                           wide, shape_.activation);
    if (shape_.form.gated_ffn) {
      hidden = graph_.make(
          "Mul", fmt::format("layer.{}.gated", layer),
          {hidden, layers_.linear(in_layer(Role::gate, layer), x, D, F, first(D), first(neurons))});
    }
    return layers_.linear(in_layer(Role::down, layer), hidden, F, D, first(neurons), first(D));
  }

  // What attention or FFN reads, where norms come first.
  std::string block_input(Role norm_role, int64_t layer, const std::string& x) {
    const bool normed = pre_norm() && (norm_role != Role::attention_norm || layer > 0);
    return normed ? layers_.norm(in_layer(norm_role, layer), x, shape_.width) : x;
  }

  std::string residual(Role norm_role, int64_t layer, const std::string& change,
                       const std::string& x) {
    const std::string name = in_layer(norm_role, layer);
    const std::string sum = graph_.make("Add", name + ".residual", {change, x});
    return pre_norm() ? sum : layers_.norm(name, sum, shape_.width);
  }

  OnnxLayers& layers_;
  OnnxGraph& graph_;
  const ModelConfig& config_;
  const ModelShape& shape_;
  const ModelSchema& schema_;
  Selection stored_;  // what the file holds
  OnnxPositions positions_;
  std::vector<float> relative_table_;
  std::string hidden_key_, head_width_root_;
};

}  // namespace

std::string add_encoder(OnnxLayers& layers, const Selection& selection) {
  return EncoderGraph(layers).build(selection);
}

}  // namespace headroom
