#include "engine/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "checkpoint/tensors/convert.h"

namespace headroom {
namespace {

struct Linear {
  std::vector<float> weight;  // (out, in)
  std::vector<float> bias;
};

class Reader {
 public:
  Reader(const std::filesystem::path& path, const ModelConfig& config, Precision precision)
      : file_(open_weights(path, config)), precision_(precision) {}

  std::vector<float> tensor(const std::string& name, const std::vector<int64_t>& shape) const {
    file_.expect_shape(name, shape);
    return file_.read_f32(name);
  }
  Linear linear(const std::string& name, int64_t in, int64_t out) const {
    Linear read = {tensor(name + ".weight", {out, in}), tensor(name + ".bias", {out})};
    if (precision_ != Precision::bf16) return read;
    if (const auto index = find_beyond_bf16(read.weight)) {
      throw Error(ErrorCode::bad_model, "load weights",
                  fmt::format("element {} of tensor \"{}.weight\" is {}, which bf16 cannot hold: "
                              "load it with --precision fp32",
                              *index, name, read.weight[*index]));
    }
    return read;
  }
  NormWeights norm(const std::string& name, int64_t width) const {
    return {tensor(name + ".weight", {width}), tensor(name + ".bias", {width})};
  }

 private:
  SafetensorsFile file_;
  Precision precision_;
};

// Where each place of heads padded to `padded` columns comes from; -1: padding.
void append_head(std::vector<int64_t>& order, int64_t start, int64_t width, int64_t padded) {
  for (int64_t i = 0; i < padded; ++i) order.push_back(i < width ? start + i : -1);
}

std::vector<int64_t> every(int64_t count) {
  std::vector<int64_t> order;
  append_head(order, 0, count, count);
  return order;
}

// The projections of a layer's input as one matrix, reordered head by head. Scaling the queries
// here saves scaling every score.
PackedMatrix pack_inputs(EngineWeights& weights, std::vector<Linear> parts, int64_t heads) {
  const int64_t W = weights.shape.head_width();
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(W)));
  Linear all = std::move(parts.front());
  for (float& x : all.weight) x *= scale;
  for (float& x : all.bias) x *= scale;
  for (size_t i = 1; i < parts.size(); ++i) {
    all.weight.insert(all.weight.end(), parts[i].weight.begin(), parts[i].weight.end());
    all.bias.insert(all.bias.end(), parts[i].bias.begin(), parts[i].bias.end());
  }
  std::vector<int64_t> columns;
  for (int64_t head = 0; head < heads; ++head) {
    for (size_t part = 0; part < parts.size(); ++part) {
      append_head(columns, (static_cast<int64_t>(part) * heads + head) * W, W,
                  weights.padded_head_width());
    }
  }
  return PackedMatrix(weights.precision, all.weight, all.bias, columns, every(weights.shape.width),
                      weights.memory);
}

PackedMatrix pack_output(EngineWeights& weights, const Linear& output, int64_t heads) {
  const int64_t W = weights.shape.head_width();
  std::vector<int64_t> rows;
  for (int64_t head = 0; head < heads; ++head) {
    append_head(rows, head * W, W, weights.padded_head_width());
  }
  return PackedMatrix(weights.precision, output.weight, output.bias, every(weights.shape.width),
                      rows, weights.memory);
}

void load_attention(const Reader& reader, EngineWeights& weights, const std::string& prefix,
                    int64_t heads, PackedLayer& layer) {
  const AttentionKind kind = weights.shape.attention;
  const int64_t D = weights.shape.width;
  const int64_t E = heads * weights.shape.head_width();
  const std::string self = prefix + "attention.self.";
  std::vector<Linear> parts = {reader.linear(self + "query", D, E)};
  if (has_key_projection(kind)) parts.push_back(reader.linear(self + "key", D, E));
  if (has_value_projection(kind)) parts.push_back(reader.linear(self + "value", D, E));
  if (has_mixing(kind)) {
    layer.mixing =
        reader.tensor(self + "mixing.weight", {weights.shape.positions, weights.shape.positions});
  }
  const Linear output = reader.linear(prefix + "attention.output.dense", E, D);
  layer.attention_norm = reader.norm(prefix + "attention.output.LayerNorm", D);
  if (heads == 0) return;
  layer.inputs = pack_inputs(weights, std::move(parts), heads);
  layer.output = pack_output(weights, output, heads);
}

void load_ffn(const Reader& reader, EngineWeights& weights, const std::string& prefix, int64_t F,
              PackedLayer& layer) {
  const int64_t D = weights.shape.width;
  const Linear up = reader.linear(prefix + "intermediate.dense", D, F);
  const Linear down = reader.linear(prefix + "output.dense", F, D);
  layer.ffn_norm = reader.norm(prefix + "output.LayerNorm", D);
  if (F == 0) return;
  layer.up = PackedMatrix(weights.precision, up.weight, up.bias, weights.memory);
  layer.down = PackedMatrix(weights.precision, down.weight, down.bias, weights.memory);
}

PackedController load_controller(const Reader& reader, EngineWeights& weights,
                                 const std::string& prefix) {
  const ModelShape& shape = weights.shape;
  const auto load = [&](const char* name, int64_t in, int64_t out) {
    const Linear linear = reader.linear(prefix + name, in, out);
    return PackedMatrix(Precision::fp32, linear.weight, linear.bias, weights.memory);
  };
  return {load("hidden", shape.width, shape.controller), load("budget", shape.controller, 1),
          load("relevance", shape.width, shape.heads)};
}

PackedLayer load_layer(const Reader& reader, EngineWeights& weights, int64_t number) {
  const std::string prefix = fmt::format("bert.encoder.layer.{}.", number);
  PackedLayer layer;
  load_attention(reader, weights, prefix, weights.stored.heads_of(number), layer);
  load_ffn(reader, weights, prefix, weights.stored.ffn_of(number, weights.shape.ffn), layer);
  if (weights.shape.controller > 0) {
    layer.controller = load_controller(reader, weights, prefix + "attention.controller.");
  }
  return layer;
}

const float* load_table(const Reader& reader, EngineWeights& weights, const std::string& name,
                        int64_t rows) {
  const std::vector<float> table = reader.tensor(name, {rows, weights.shape.width});
  float* place = weights.memory.take<float>(static_cast<int64_t>(table.size()));
  std::copy(table.begin(), table.end(), place);
  return place;
}

}  // namespace

EngineWeights load_engine_weights(const std::filesystem::path& safetensors,
                                  const ModelConfig& config, Precision precision) {
  const Reader reader(safetensors, config, precision);
  const ModelShape& shape = config.shape;
  const int64_t D = shape.width;
  const std::string embeddings = "bert.embeddings.";
  EngineWeights weights;
  weights.shape = shape;
  weights.stored = config.everything();
  weights.precision = precision;
  weights.layer_norm_eps = static_cast<float>(config.layer_norm_eps);
  weights.words =
      load_table(reader, weights, embeddings + "word_embeddings.weight", shape.vocabulary);
  weights.positions =
      load_table(reader, weights, embeddings + "position_embeddings.weight", shape.positions);
  weights.types =
      load_table(reader, weights, embeddings + "token_type_embeddings.weight", shape.token_types);
  weights.embedding_norm = reader.norm(embeddings + "LayerNorm", D);
  for (int64_t i = 0; i < shape.layers; ++i) {
    weights.layers.push_back(load_layer(reader, weights, i));
  }
  const Linear pooler = reader.linear("bert.pooler.dense", D, D);
  weights.pooler = PackedMatrix(precision, pooler.weight, pooler.bias, weights.memory);
  const Linear classifier = reader.linear("classifier", D, shape.labels);
  weights.classifier =
      PackedMatrix(Precision::fp32, classifier.weight, classifier.bias, weights.memory);
  return weights;
}

}  // namespace headroom
