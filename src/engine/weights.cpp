#include "engine/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "checkpoint/tensors/convert.h"
#include "families/families.h"
#include "families/relative_positions.h"

namespace headroom {
namespace {

struct Linear {
  std::vector<float> weight;  // (out, in)
  std::vector<float> bias;
};

class Reader {
 public:
  Reader(const std::filesystem::path& path, const ModelConfig& config, Precision precision)
      : file_(open_weights(path, config)),
        schema_(schema_of(config.shape)),
        precision_(precision) {}

  std::vector<float> weight(const Module& module, const std::vector<int64_t>& shape) const {
    return tensor(schema_.name_of(module) + ".weight", shape);
  }
  Linear linear(const Module& module, int64_t in, int64_t out) const {
    const std::string name = schema_.name_of(module);
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
  NormWeights norm(const Module& module, int64_t width) const {
    const std::string name = schema_.name_of(module);
    return {tensor(name + ".weight", {width}), tensor(name + ".bias", {width})};
  }

 private:
  std::vector<float> tensor(const std::string& name, const std::vector<int64_t>& shape) const {
    file_.expect_shape(name, shape);
    return file_.read_f32(name);
  }

  SafetensorsFile file_;
  const ModelSchema& schema_;
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

void load_attention(const Reader& reader, EngineWeights& weights, int64_t number, int64_t heads,
                    PackedLayer& layer) {
  const AttentionKind kind = weights.shape.attention;
  const int64_t D = weights.shape.width;
  const int64_t E = heads * weights.shape.head_width();
  const auto module = [&](Role role) { return Module{role, Stack::encoder, number}; };
  std::vector<Linear> parts = {reader.linear(module(Role::query), D, E)};
  if (has_key_projection(kind)) parts.push_back(reader.linear(module(Role::key), D, E));
  if (has_value_projection(kind)) parts.push_back(reader.linear(module(Role::value), D, E));
  if (has_mixing(kind)) {
    layer.mixing =
        reader.weight(module(Role::mixing), {weights.shape.positions, weights.shape.positions});
  }
  const Linear output = reader.linear(module(Role::attention_output), E, D);
  layer.attention_norm = reader.norm(module(Role::attention_norm), D);
  if (heads == 0) return;
  layer.inputs = pack_inputs(weights, std::move(parts), heads);
  layer.output = pack_output(weights, output, heads);
}

void load_ffn(const Reader& reader, EngineWeights& weights, int64_t number, int64_t F,
              PackedLayer& layer) {
  const int64_t D = weights.shape.width;
  const Linear up = reader.linear({Role::up, Stack::encoder, number}, D, F);
  const Linear down = reader.linear({Role::down, Stack::encoder, number}, F, D);
  layer.ffn_norm = reader.norm({Role::ffn_norm, Stack::encoder, number}, D);
  if (F == 0) return;
  layer.up = PackedMatrix(weights.precision, up.weight, up.bias, weights.memory);
  layer.down = PackedMatrix(weights.precision, down.weight, down.bias, weights.memory);
}

PackedController load_controller(const Reader& reader, EngineWeights& weights, int64_t number) {
  const ModelShape& shape = weights.shape;
  const auto load = [&](Role role, int64_t in, int64_t out) {
    const Linear linear = reader.linear({role, Stack::encoder, number}, in, out);
    return PackedMatrix(Precision::fp32, linear.weight, linear.bias, weights.memory);
  };
  return {load(Role::controller_hidden, shape.width, shape.controller),
          load(Role::controller_budget, shape.controller, 1),
          load(Role::controller_relevance, shape.width, shape.heads)};
}

PackedLayer load_layer(const Reader& reader, EngineWeights& weights, int64_t number) {
  PackedLayer layer;
  load_attention(reader, weights, number, weights.stored.heads_of(number), layer);
  load_ffn(reader, weights, number, weights.stored.ffn_of(number, weights.shape.ffn), layer);
  if (weights.shape.controller > 0) layer.controller = load_controller(reader, weights, number);
  return layer;
}

const float* keep_table(EngineWeights& weights, const std::vector<float>& table) {
  float* kept = weights.memory.take<float>(static_cast<int64_t>(table.size()));
  std::copy(table.begin(), table.end(), kept);
  return kept;
}

const float* load_table(const Reader& reader, EngineWeights& weights, Role role, int64_t rows) {
  return keep_table(weights, reader.weight({role}, {rows, weights.shape.embedding_width()}));
}

// From a number for each bucket to one for each distance, once for all lengths.
std::vector<float> load_relative_bias(const Reader& reader, const EngineWeights& weights) {
  const ModelShape& shape = weights.shape;
  const std::vector<float> table =
      reader.weight({Role::relative_bias}, {shape.relative_buckets, shape.heads});
  const std::vector<int64_t> buckets = relative_buckets(shape.positions, shape.relative_buckets);
  std::vector<float> bias(static_cast<size_t>(shape.heads * weights.relative_stride()));
  for (int64_t head = 0; head < shape.heads; ++head) {
    float* next = bias.data() + head * weights.relative_stride();
    for (const int64_t bucket : buckets) {
      *next++ = table[static_cast<size_t>(bucket * shape.heads + head)];
    }
  }
  return bias;
}

// A family without token types gets one that adds nothing.
const float* load_types(const Reader& reader, EngineWeights& weights) {
  const ModelShape& shape = weights.shape;
  if (shape.token_types > 0) return load_table(reader, weights, Role::types, shape.token_types);
  return keep_table(weights,
                    std::vector<float>(static_cast<size_t>(shape.embedding_width()), 0.0F));
}

// What reads the last layer. Its last matrix is small, and fp32 whatever the others are.
void load_output(const Reader& reader, const ModelConfig& config, EngineWeights& weights) {
  const int64_t D = weights.shape.width;
  const auto load = [&](Role role, int64_t out, Precision precision) {
    const Linear linear = reader.linear({role}, D, out);
    return PackedMatrix(precision, linear.weight, linear.bias, weights.memory);
  };
  if (config.classifies()) {
    weights.pooler = load(Role::pooler, D, weights.precision);
    weights.classifier = load(Role::classifier, weights.shape.labels, Precision::fp32);
  } else if (config.output_head() == OutputHead::tagger) {
    weights.classifier = load(Role::tagger, weights.shape.labels, Precision::fp32);
  } else if (weights.shape.dense > 0) {
    weights.dense = load(Role::dense, weights.shape.dense, Precision::fp32);
  }
}

}  // namespace

EngineWeights load_engine_weights(const std::filesystem::path& safetensors,
                                  const ModelConfig& config, Precision precision) {
  const Reader reader(safetensors, config, precision);
  const ModelShape& shape = config.shape;
  const int64_t D = shape.width;
  EngineWeights weights;
  weights.shape = shape;
  weights.stored = config.everything();
  weights.precision = precision;
  weights.layer_norm_eps = static_cast<float>(config.layer_norm_eps);
  weights.pooler_activation = schema_of(shape).pooler_activation;
  weights.words = load_table(reader, weights, Role::words, shape.vocabulary);
  weights.positions = load_table(reader, weights, Role::positions, shape.position_rows());
  weights.types = load_types(reader, weights);
  weights.embedding_norm = reader.norm({Role::embedding_norm}, shape.embedding_width());
  if (shape.embedding > 0) {
    const Linear wider = reader.linear({Role::embedding_projection}, shape.embedding, D);
    weights.embedding_projection =
        PackedMatrix(Precision::fp32, wider.weight, wider.bias, weights.memory);
  }
  if (shape.relative_buckets > 0) weights.relative_bias = load_relative_bias(reader, weights);
  for (int64_t i = 0; i < shape.layers; ++i) {
    weights.layers.push_back(load_layer(reader, weights, i));
  }
  load_output(reader, config, weights);
  return weights;
}

}  // namespace headroom
