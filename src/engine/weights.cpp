#include "engine/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "checkpoint/tensors/convert.h"
#include "engine/encoder/attention.h"
#include "families/families.h"
#include "families/positions.h"
#include "families/relative_positions.h"

namespace headroom {
namespace {

struct Linear {
  int64_t in = 0;
  int64_t out = 0;
  std::vector<float> weight;  // (out, in); empty, like the bias, where nothing has to be packed
  std::vector<float> bias;
};

// Tensors of the checkpoint. Without a file they are empty: what is made of them is packed already.
class Reader {
 public:
  Reader(std::optional<SafetensorsFile> file, const ModelConfig& config, Precision precision)
      : file_(std::move(file)),
        schema_(schema_of(config.shape)),
        form_(config.shape.form),
        precision_(precision) {}

  std::vector<float> weight(const Module& module, const std::vector<int64_t>& shape) const {
    return tensor(schema_.name_of(module) + ".weight", shape);
  }
  Linear linear(const Module& module, int64_t in, int64_t out) const {
    const std::string name = schema_.name_of(module);
    Linear read = {in, out, tensor(name + ".weight", {out, in}), bias(module, out)};
    if (precision_ != Precision::bf16) return read;
    if (const auto index = find_beyond_bf16(read.weight)) {
      throw Error(ErrorCode::bad_model, "load weights",
                  fmt::format("element {} of tensor \"{}.weight\" is {}, which bf16 cannot hold: "
                              "load it with --precision fp32",
                              *index, name, read.weight[*index]));
    }
    return read;
  }
  // Of a family without biases: zeros.
  std::vector<float> bias(const Module& module, int64_t count) const {
    if (!has_bias(module.role, form_)) return std::vector<float>(static_cast<size_t>(count));
    return tensor(schema_.name_of(module) + ".bias", {count});
  }

 private:
  std::vector<float> tensor(const std::string& name, const std::vector<int64_t>& shape) const {
    if (!file_) return {};
    file_->expect_shape(name, shape);
    return file_->read_f32(name);
  }

  std::optional<SafetensorsFile> file_;
  const ModelSchema& schema_;
  NetworkForm form_;
  Precision precision_;
};

// `count` floats of `values`, which are fewer where there is nothing to pack.
std::span<const float> keep(EngineWeights& weights, int64_t count,
                            const std::vector<float>& values) {
  const float* kept = weights.memory.take<float>(
      count, [&](float* memory) { std::copy(values.begin(), values.end(), memory); });
  return {kept, static_cast<size_t>(count)};
}

NormWeights load_norm(const Reader& reader, EngineWeights& weights, const Module& module,
                      int64_t width) {
  return {keep(weights, width, reader.weight(module, {width})),
          keep(weights, width, reader.bias(module, width))};
}

// Where each column of heads padded to `padded` columns comes from; -1: padding.
void append_head(std::vector<int64_t>& order, int64_t start, int64_t width, int64_t padded) {
  for (int64_t i = 0; i < padded; ++i) order.push_back(i < width ? start + i : -1);
}

std::vector<int64_t> every(int64_t count) {
  std::vector<int64_t> order;
  append_head(order, 0, count, count);
  return order;
}

PackedMatrix pack(EngineWeights& weights, Precision precision, const Linear& linear) {
  return PackedMatrix(precision, linear.weight, linear.bias, every(linear.out), every(linear.in),
                      weights.memory);
}

// The projections of a layer's input as one matrix, reordered head by head. Scaling the queries
// here saves scaling every score.
PackedMatrix pack_inputs(EngineWeights& weights, std::vector<Linear> parts, int64_t heads) {
  const int64_t W = weights.shape.head_width();
  const float scale = weights.score_scale();
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

// The table of relative positions as layers project it: rows x D.
std::vector<float> load_relative(const Reader& reader, const EngineWeights& weights,
                                 const Kernels& kernels) {
  const DisentangledShape& relative = weights.shape.disentangled;
  const int64_t D = weights.shape.width;
  std::vector<float> table = reader.weight({Role::relative}, {relative.rows(), D});
  if (!relative.norm || weights.memory.is_packed()) return table;
  const std::vector<float> weight = reader.weight({Role::relative_norm}, {D});
  const std::vector<float> bias = reader.bias({Role::relative_norm}, D);
  LayerNormCall call;
  call.x = table.data();
  call.stride = D;
  call.rows = relative.rows();
  call.width = D;
  call.weight = weight.data();
  call.bias = bias.data();
  call.eps = weights.layer_norm_eps;
  kernels.layer_norm(call);
  return table;
}

// table, rows x D, times the projection, as rows x E. Of nothing, nothing.
std::vector<float> project_table(const std::vector<float>& table, const Linear& projection,
                                 const Kernels& kernels) {
  if (table.empty()) return {};
  const int64_t E = projection.out;
  const int64_t D = projection.in;
  const auto rows = static_cast<int64_t>(table.size()) / D;
  WeightMemory memory;
  const PackedMatrix matrix(Precision::fp32, projection.weight, projection.bias, every(E), every(D),
                            memory);
  const int64_t stride = matrix.panels() * panel_width;
  Arena scratch;
  float* wide = scratch.take<float>(rows * stride);
  const GemmSegment all = {0, 0, matrix.lanes()};
  std::vector<GemmPanel> panels;
  for (int64_t p = 0; p < matrix.panels(); ++p) {
    panels.push_back(matrix.gemm_panel(p, {&all, 1}, wide + p * panel_width, stride));
  }
  GemmCall call;
  call.a = table.data();
  call.a_stride = D;
  call.rows = rows;
  call.segments = &all;
  call.segment_count = 1;
  call.panels = panels.data();
  call.panel_count = matrix.panels();
  kernels.gemm_f32(call);
  std::vector<float> projected;
  for (int64_t row = 0; row < rows; ++row) {
    projected.insert(projected.end(), wide + row * stride, wide + row * stride + E);
  }
  return projected;
}

// The heads' columns of `projected`, each as a matrix of W x rows.
std::vector<PackedMatrix> pack_positions(EngineWeights& weights,
                                         const std::vector<float>& projected, int64_t heads,
                                         bool descending, Precision precision) {
  const int64_t W = weights.shape.head_width();
  const int64_t rows = weights.shape.disentangled.rows();
  std::vector<int64_t> columns = every(rows);
  if (descending) std::reverse(columns.begin(), columns.end());
  std::vector<int64_t> head_rows;
  append_head(head_rows, 0, W, weights.padded_head_width());
  const std::vector<float> no_bias(static_cast<size_t>(rows), 0.0F);
  std::vector<PackedMatrix> packed;
  for (int64_t head = 0; head < heads; ++head) {
    std::vector<float> own;
    for (int64_t row = 0; row < rows && !weights.memory.is_packed(); ++row) {
      const auto first = projected.begin() + (row * heads + head) * W;
      own.insert(own.end(), first, first + W);
    }
    packed.emplace_back(precision, own, no_bias, columns, head_rows, weights.memory);
  }
  return packed;
}

// Relative positions as the layer's heads see them. `query` and `key` are its own projections.
void load_relative_positions(const Reader& reader, EngineWeights& weights, int64_t number,
                             int64_t heads, const std::vector<float>& table, const Linear& query,
                             const Linear& key, const Kernels& kernels, PackedLayer& layer) {
  const DisentangledShape& relative = weights.shape.disentangled;
  const int64_t D = weights.shape.width;
  const int64_t E = heads * weights.shape.head_width();
  const Precision precision =
      attention_mode(weights.precision, kernels, weights.padded_head_width()).precision;
  const auto projection = [&](Role role, const Linear& shared) {
    return relative.shared_projections ? shared
                                       : reader.linear({role, Stack::encoder, number}, D, E);
  };
  if (relative.content_to_position) {
    const Linear own = projection(Role::relative_key, key);
    layer.relative_keys = pack_positions(weights, project_table(table, own, kernels), heads,
                                         /*descending=*/true, precision);
  }
  if (relative.position_to_content) {
    std::vector<float> rows =
        project_table(table, projection(Role::relative_query, query), kernels);
    for (float& x : rows) x *= weights.score_scale();
    layer.relative_queries = pack_positions(weights, rows, heads, /*descending=*/false, precision);
  }
}

void load_attention(const Reader& reader, EngineWeights& weights, int64_t number, int64_t heads,
                    const std::vector<float>& relative, const Kernels& kernels,
                    PackedLayer& layer) {
  const AttentionKind kind = weights.shape.attention;
  const int64_t D = weights.shape.width;
  const int64_t E = heads * weights.shape.head_width();
  const auto module = [&](Role role) { return Module{role, Stack::encoder, number}; };
  std::vector<Linear> parts = {reader.linear(module(Role::query), D, E)};
  if (has_key_projection(kind)) parts.push_back(reader.linear(module(Role::key), D, E));
  if (has_value_projection(kind)) parts.push_back(reader.linear(module(Role::value), D, E));
  if (has_mixing(kind)) {
    const int64_t T = weights.shape.positions;
    layer.mixing = keep(weights, T * T, reader.weight(module(Role::mixing), {T, T}));
  }
  const Linear output = reader.linear(module(Role::attention_output), E, D);
  if (weights.shape.form.norms == NormOrder::post || number > 0) {
    layer.attention_norm = load_norm(reader, weights, module(Role::attention_norm), D);
  }
  if (heads == 0) return;
  if (weights.shape.disentangled.farthest > 0) {
    load_relative_positions(reader, weights, number, heads, relative, parts[0], parts[1], kernels,
                            layer);
  }
  layer.inputs = pack_inputs(weights, std::move(parts), heads);
  layer.output = pack_output(weights, output, heads);
}

void load_ffn(const Reader& reader, EngineWeights& weights, int64_t number, int64_t F,
              PackedLayer& layer) {
  const int64_t D = weights.shape.width;
  const Linear up = reader.linear({Role::up, Stack::encoder, number}, D, F);
  const Linear gate = weights.shape.form.gated_ffn
                          ? reader.linear({Role::gate, Stack::encoder, number}, D, F)
                          : Linear();
  const Linear down = reader.linear({Role::down, Stack::encoder, number}, F, D);
  layer.ffn_norm = load_norm(reader, weights, {Role::ffn_norm, Stack::encoder, number}, D);
  if (F == 0) return;
  layer.up = pack(weights, weights.precision, up);
  if (weights.shape.form.gated_ffn) layer.gate = pack(weights, weights.precision, gate);
  layer.down = pack(weights, weights.precision, down);
}

PackedController load_controller(const Reader& reader, EngineWeights& weights, int64_t number) {
  const ModelShape& shape = weights.shape;
  const auto load = [&](Role role, int64_t in, int64_t out) {
    return pack(weights, Precision::fp32, reader.linear({role, Stack::encoder, number}, in, out));
  };
  return {load(Role::controller_hidden, shape.width, shape.controller),
          load(Role::controller_budget, shape.controller, 1),
          load(Role::controller_relevance, shape.width, shape.heads)};
}

// `relative` is the table of relative positions, where there is one.
PackedLayer load_layer(const Reader& reader, EngineWeights& weights, int64_t number,
                       const std::vector<float>& relative, const Kernels& kernels) {
  PackedLayer layer;
  load_attention(reader, weights, number, weights.stored.heads_of(number), relative, kernels,
                 layer);
  load_ffn(reader, weights, number, weights.stored.ffn_of(number, weights.shape.ffn), layer);
  if (weights.shape.controller > 0) layer.controller = load_controller(reader, weights, number);
  return layer;
}

const float* load_table(const Reader& reader, EngineWeights& weights, Role role, int64_t rows) {
  const int64_t E = weights.shape.embedding_width();
  return keep(weights, rows * E, reader.weight({role}, {rows, E})).data();
}

// A row that adds nothing.
const float* keep_zeros(EngineWeights& weights) {
  return keep(weights, weights.shape.embedding_width(), {}).data();
}

// From a number for each bucket to one for each distance, once for all lengths.
std::span<const float> load_relative_bias(const Reader& reader, EngineWeights& weights) {
  const ModelShape& shape = weights.shape;
  const std::vector<float> table =
      reader.weight({Role::relative_bias}, {shape.relative_buckets, shape.heads});
  const int64_t count = shape.heads * weights.relative_stride();
  const auto fill = [&](float* bias) {
    const std::vector<int64_t> buckets = relative_buckets(shape.positions, shape.relative_buckets);
    for (int64_t head = 0; head < shape.heads; ++head) {
      float* next = bias + head * weights.relative_stride();
      for (const int64_t bucket : buckets) {
        *next++ = table[static_cast<size_t>(bucket * shape.heads + head)];
      }
    }
  };
  return {weights.memory.take<float>(count, fill), static_cast<size_t>(count)};
}

// A family without a table gets a row that adds nothing.
void load_positions(const Reader& reader, EngineWeights& weights) {
  const ModelShape& shape = weights.shape;
  if (shape.has_position_table()) {
    weights.positions = load_table(reader, weights, Role::positions, shape.position_rows());
    weights.position_stride = shape.embedding_width();
  } else {
    weights.positions = keep_zeros(weights);
  }
}

// Windows, and a table for all layers of one theta.
void add_rotary(EngineWeights& weights) {
  const RotaryShape& rotary = weights.shape.rotary;
  std::map<double, RotaryRows> tables;
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    const double theta = rotary.theta_of(number);
    weights.layers[i].window = rotary.window_of(number);
    if (theta == 0) continue;
    if (!tables.contains(theta)) {
      const int64_t positions = weights.shape.positions;
      const int64_t pairs = weights.shape.head_width() / 2;
      const RotaryTable table =
          weights.memory.is_packed() ? RotaryTable() : rotary_table(theta, positions, pairs);
      tables[theta] = {keep(weights, positions * pairs, table.cosines).data(),
                       keep(weights, positions * pairs, table.sines).data()};
    }
    weights.layers[i].rotary = tables[theta];
  }
}

// A family without token types gets one that adds nothing.
const float* load_types(const Reader& reader, EngineWeights& weights) {
  const ModelShape& shape = weights.shape;
  if (shape.token_types > 0) return load_table(reader, weights, Role::types, shape.token_types);
  return keep_zeros(weights);
}

// What reads the last layer. Its last matrix is small, and fp32 whatever the others are.
void load_output(const Reader& reader, const ModelConfig& config, EngineWeights& weights) {
  const int64_t D = weights.shape.width;
  const auto load = [&](Role role, int64_t out, Precision precision) {
    return pack(weights, precision, reader.linear({role}, D, out));
  };
  if (config.classifies()) {
    weights.pooler = load(Role::pooler, D, weights.precision);
    if (weights.shape.form.pooler_norm) {
      weights.pooler_norm = load_norm(reader, weights, {Role::pooler_norm}, D);
    }
    weights.classifier = load(Role::classifier, weights.shape.labels, Precision::fp32);
  } else if (config.output_head() == OutputHead::tagger) {
    weights.classifier = load(Role::tagger, weights.shape.labels, Precision::fp32);
  } else if (weights.shape.dense > 0) {
    weights.dense = load(Role::dense, weights.shape.dense, Precision::fp32);
  }
}

}  // namespace

float EngineWeights::score_scale() const {
  const auto terms = static_cast<double>(shape.disentangled.terms());
  return static_cast<float>(1.0 / std::sqrt(terms * static_cast<double>(shape.head_width())));
}

namespace {

EngineWeights load(const Reader& reader, WeightMemory memory, const ModelConfig& config,
                   Precision precision, const Kernels& kernels) {
  const ModelShape& shape = config.shape;
  const int64_t D = shape.width;
  EngineWeights weights;
  weights.memory = std::move(memory);
  weights.shape = shape;
  weights.stored = config.everything();
  weights.precision = precision;
  weights.layer_norm_eps = static_cast<float>(config.layer_norm_eps);
  weights.pooler_activation = schema_of(shape).pooler_activation;
  weights.words = load_table(reader, weights, Role::words, shape.vocabulary);
  load_positions(reader, weights);
  weights.types = load_types(reader, weights);
  weights.embedding_norm =
      load_norm(reader, weights, {Role::embedding_norm}, shape.embedding_width());
  if (shape.embedding > 0) {
    weights.embedding_projection = pack(
        weights, Precision::fp32, reader.linear({Role::embedding_projection}, shape.embedding, D));
  }
  if (shape.relative_buckets > 0) weights.relative_bias = load_relative_bias(reader, weights);
  std::vector<float> relative;
  if (shape.disentangled.farthest > 0) {
    relative = load_relative(reader, weights, kernels);
    weights.relative_rows = disentangled_rows(shape.disentangled, shape.positions);
    const int64_t buckets = shape.disentangled.buckets;
    weights.distinct_distances = buckets > 0 ? buckets / 2 : shape.disentangled.farthest;
  }
  for (int64_t i = 0; i < shape.layers; ++i) {
    weights.layers.push_back(load_layer(reader, weights, i, relative, kernels));
  }
  add_rotary(weights);
  if (weights.shape.form.norms == NormOrder::pre)
    weights.final_norm = load_norm(reader, weights, {Role::final_norm}, D);
  load_output(reader, config, weights);
  weights.memory.require_end();
  return weights;
}

}  // namespace

EngineWeights load_engine_weights(const std::filesystem::path& safetensors,
                                  const ModelConfig& config, Precision precision,
                                  const Kernels& kernels) {
  const Reader reader(open_weights(safetensors, config), config, precision);
  return load(reader, WeightMemory(), config, precision, kernels);
}

EngineWeights map_engine_weights(PackedFile file, const ModelConfig& config, Precision precision,
                                 const Kernels& kernels) {
  const Reader reader({}, config, precision);
  return load(reader, WeightMemory(std::move(file)), config, precision, kernels);
}

}  // namespace headroom
