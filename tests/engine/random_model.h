// A checkpoint with random weights, written without libtorch, and the same network in plain double
// precision with all rows and no tricks: what the engine must agree with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "budget/unit_order.h"
#include "checkpoint/checkpoint.h"
#include "engine/encoder/encoder.h"
#include "families/families.h"
#include "families/relative_positions.h"
#include "support.h"

namespace headroom::testing {

using Matrix = std::vector<std::vector<double>>;  // rows
using Tensors = std::map<std::string, std::vector<float>>;

inline Tensors random_tensors(const ModelShape& shape, uint64_t seed,
                              OutputHead head = OutputHead::classifier) {
  Random random{seed};
  Tensors tensors;
  for (const TensorSpec& entry : tensor_specs(shape, head)) {
    int64_t count = 1;
    for (const int64_t dim : entry.shape) count *= dim;
    // Large enough for attention to choose and GELU to bend; norms near 1.
    const bool is_norm_weight = is_norm(entry.module.role) && !entry.bias;
    const double scale =
        entry.shape.size() == 2 ? 1.5 / std::sqrt(static_cast<double>(entry.shape[1])) : 0.2;
    std::vector<float>& values = tensors[entry.name];
    for (int64_t i = 0; i < count; ++i) {
      values.push_back(static_cast<float>((is_norm_weight ? 1 : 0) + scale * random.normal()));
    }
  }
  return tensors;
}

class PlainModel {
 public:
  PlainModel(ModelShape shape, const Tensors& tensors)
      : shape_(shape), schema_(schema_of(shape)), tensors_(tensors) {}

  std::vector<double> logits(const Tokens& sequence, const Selection& selection) const {
    return classify(states(sequence, selection));
  }

  // The final hidden state of every token.
  Matrix states(const Tokens& sequence, const Selection& selection) const {
    return states(sequence, selection, [&](int64_t layer, const Matrix&) {
      return selection.kept[static_cast<size_t>(layer)];
    });
  }

  // Of an adaptive model, and how many heads it chose over all layers.
  std::vector<double> logits(const Tokens& sequence, const HeadLimit& limit,
                             int64_t& chosen) const {
    chosen = 0;
    return classify(states(sequence, all_heads(shape_.layers, shape_.heads),
                           [&](int64_t layer, const Matrix& x) {
                             std::vector<int32_t> heads = choose(x, layer, limit);
                             chosen += static_cast<int64_t>(heads.size());
                             return heads;
                           }));
  }

  // A layer outside the encoder, over rows.
  Matrix linear(const Matrix& x, const std::string& name) const {
    const std::vector<float>& weight = tensor(name + ".weight");
    const std::vector<float>& bias = tensor(name + ".bias");
    Matrix y;
    for (const auto& row : x) {
      std::vector<double> out(bias.begin(), bias.end());
      for (size_t n = 0; n < out.size(); ++n) {
        for (size_t k = 0; k < row.size(); ++k) out[n] += row[k] * weight[n * row.size() + k];
      }
      y.push_back(out);
    }
    return y;
  }

 private:
  template <typename HeadsOf>
  Matrix states(const Tokens& sequence, const Selection& selection, const HeadsOf& heads_of) const {
    Matrix x = embed(sequence);
    for (int64_t i = 0; i < shape_.layers; ++i) {
      const std::vector<int32_t> heads = heads_of(i, x);
      if (!heads.empty()) {
        add(x, attention(x, i, heads));
        normalise(x, name(Role::attention_norm, i));
      }
      const int64_t neurons = selection.ffn_of(i, shape_.ffn);
      if (neurons > 0) {
        Matrix hidden = linear(x, name(Role::up, i));
        for (auto& row : hidden) {
          for (double& value : row) value = activated(shape_.activation, value);
          std::fill(row.begin() + neurons, row.end(), 0.0);
        }
        add(x, linear(hidden, name(Role::down, i)));
        normalise(x, name(Role::ffn_norm, i));
      }
    }
    return x;
  }

  std::vector<double> classify(const Matrix& states) const {
    Matrix pooled = linear({states[0]}, name(Role::pooler));
    for (double& value : pooled[0]) value = activated(schema_.pooler_activation, value);
    return linear(pooled, name(Role::classifier))[0];
  }

  static double activated(ActivationKind kind, double x) {
    switch (kind) {
      case ActivationKind::gelu:
        return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
      case ActivationKind::gelu_tanh:
        return x * 0.5 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
      case ActivationKind::quick_gelu:
        return x / (1 + std::exp(-1.702 * x));
      case ActivationKind::silu:
        return x / (1 + std::exp(-x));
      case ActivationKind::relu:
        return std::max(x, 0.0);
      case ActivationKind::tanh:
        break;
    }
    return std::tanh(x);
  }

  std::string name(Role role) const { return schema_.name_of({role}); }
  std::string name(Role role, int64_t layer) const {
    return schema_.name_of({role, Stack::encoder, layer});
  }

  std::vector<int32_t> choose(const Matrix& x, int64_t layer, const HeadLimit& limit) const {
    std::vector<double> mean(x[0].size());
    for (const auto& row : x) {
      for (size_t d = 0; d < row.size(); ++d) mean[d] += row[d] / static_cast<double>(x.size());
    }
    Matrix hidden = linear({mean}, name(Role::controller_hidden, layer));
    for (double& value : hidden[0]) value = std::max(value, 0.0);
    const double share =
        1 / (1 + std::exp(-linear(hidden, name(Role::controller_budget, layer))[0][0]));
    std::vector<double> scores = linear({mean}, name(Role::controller_relevance, layer))[0];
    for (size_t head = 0; head < scores.size(); ++head) {
      scores[head] = limit.score(layer, static_cast<int64_t>(head), scores[head]);
    }
    const int64_t count =
        std::min(heads_needed(share, shape_.heads), limit.most[static_cast<size_t>(layer)]);
    std::vector<int32_t> heads(static_cast<size_t>(count));
    best_heads(scores, heads);
    return heads;
  }

  const std::vector<float>& tensor(const std::string& name) const { return tensors_.at(name); }

  Matrix embed(const Tokens& sequence) const {
    const auto E = static_cast<size_t>(shape_.embedding_width());
    const int64_t padding = shape_.padding_position;
    int64_t next = padding + 1;
    Matrix x;
    for (size_t t = 0; t < sequence.ids.size(); ++t) {
      const auto word = static_cast<size_t>(sequence.ids[t]);
      const auto type = static_cast<size_t>(sequence.types.empty() ? 0 : sequence.types[t]);
      const bool counted = padding < 0 || sequence.ids[t] != padding;
      const auto position = static_cast<size_t>(counted ? next++ : padding);
      std::vector<double> row(E);
      for (size_t d = 0; d < E; ++d) {
        row[d] = tensor(name(Role::words) + ".weight")[word * E + d] +
                 tensor(name(Role::positions) + ".weight")[position * E + d];
        if (shape_.token_types > 0) row[d] += tensor(name(Role::types) + ".weight")[type * E + d];
      }
      x.push_back(row);
    }
    normalise(x, name(Role::embedding_norm));
    return shape_.embedding > 0 ? linear(x, name(Role::embedding_projection)) : x;
  }

  void normalise(Matrix& x, const std::string& module) const {
    for (auto& row : x) {
      const auto D = static_cast<double>(row.size());
      const double mean = std::accumulate(row.begin(), row.end(), 0.0) / D;
      double variance = 0;
      for (const double value : row) variance += (value - mean) * (value - mean) / D;
      for (size_t d = 0; d < row.size(); ++d) {
        row[d] = (row[d] - mean) / std::sqrt(variance + 1e-12) * tensor(module + ".weight")[d] +
                 tensor(module + ".bias")[d];
      }
    }
  }

  // Heads that are not kept contribute zeros to the output projection.
  Matrix attention(const Matrix& x, int64_t layer, const std::vector<int32_t>& heads) const {
    const AttentionKind kind = shape_.attention;
    const Matrix q = linear(x, name(Role::query, layer));
    const Matrix k = has_key_projection(kind) ? linear(x, name(Role::key, layer)) : x;
    const Matrix v = has_value_projection(kind) ? linear(x, name(Role::value, layer))
                     : has_mixing(kind)         ? mix(x, name(Role::mixing, layer) + ".weight")
                                                : x;
    const auto W = static_cast<size_t>(shape_.head_width());
    Matrix context(x.size(), std::vector<double>(static_cast<size_t>(shape_.width)));
    for (const int32_t head : heads) {
      const size_t at = static_cast<size_t>(head) * W;
      for (size_t i = 0; i < x.size(); ++i) {
        std::vector<double> share(x.size());
        double sum = 0;
        for (size_t j = 0; j < x.size(); ++j) {
          const double score = std::inner_product(q[i].begin() + static_cast<ptrdiff_t>(at),
                                                  q[i].begin() + static_cast<ptrdiff_t>(at + W),
                                                  k[j].begin() + static_cast<ptrdiff_t>(at), 0.0);
          share[j] = std::exp(score / std::sqrt(static_cast<double>(W)) + relative(i, j, head));
          sum += share[j];
        }
        for (size_t j = 0; j < x.size(); ++j) {
          for (size_t w = at; w < at + W; ++w) context[i][w] += share[j] / sum * v[j][w];
        }
      }
    }
    return linear(context, name(Role::attention_output, layer));
  }

  // What a head adds to the score of a query and a key.
  double relative(size_t query, size_t key, int32_t head) const {
    if (shape_.relative_buckets == 0) return 0;
    const int64_t distance = static_cast<int64_t>(query) - static_cast<int64_t>(key);
    const int64_t bucket = relative_bucket(distance, shape_.relative_buckets);
    return tensor(name(Role::relative_bias) +
                  ".weight")[static_cast<size_t>(bucket * shape_.heads + head)];
  }

  // The leading block of a matrix over tokens, times x.
  Matrix mix(const Matrix& x, const std::string& matrix) const {
    const auto positions = static_cast<size_t>(shape_.positions);
    Matrix y(x.size(), std::vector<double>(x[0].size()));
    for (size_t i = 0; i < x.size(); ++i) {
      for (size_t j = 0; j < x.size(); ++j) {
        for (size_t d = 0; d < x[j].size(); ++d) {
          y[i][d] += tensor(matrix)[i * positions + j] * x[j][d];
        }
      }
    }
    return y;
  }

  static void add(Matrix& x, const Matrix& y) {
    for (size_t i = 0; i < x.size(); ++i) {
      for (size_t d = 0; d < x[i].size(); ++d) x[i][d] += y[i][d];
    }
  }

  ModelShape shape_;
  const ModelSchema& schema_;
  const Tensors& tensors_;
};

// Two layers of everything that can go wrong, quick enough for hundreds of runs.
inline ModelShape small_shape(int64_t positions = 12) {
  ModelShape shape;
  shape.layers = 2;
  shape.width = 32;
  shape.heads = 4;
  shape.ffn = 64;
  shape.positions = positions;
  shape.labels = 3;
  return shape;
}

// Of every family whose network is not BERT's, in that size.
inline std::vector<ModelShape> family_shapes(ModelShape shape) {
  ModelShape roberta = shape;
  roberta.family = "roberta";
  roberta.token_types = 1;
  roberta.padding_position = 1;
  ModelShape electra = shape;
  electra.family = "electra";
  electra.embedding = 21;
  ModelShape mpnet = roberta;
  mpnet.family = "mpnet";
  mpnet.token_types = 0;
  mpnet.relative_buckets = 32;
  return {roberta, electra, mpnet};
}

// Two words per letter: texts for the tokenizer.
inline Vocabulary letters(const std::string_view family = "bert") {
  std::vector<std::string> words;
  for (char letter = 'a'; letter <= 'z'; ++letter) words.emplace_back(1, letter);
  if (family != "bert") words.insert(words.end(), {"<s>", "</s>"});
  return Vocabulary::with_words(words);
}

// The rows and columns of a whole model's tensors that a compact one keeps.
inline std::vector<float> cut(const std::vector<float>& whole, const TensorSpec& full,
                              const TensorSpec& kept, const std::vector<int32_t>& heads,
                              int64_t head_width) {
  if (full.shape == kept.shape) return whole;
  const bool by_head = full.name.find("attention") != std::string::npos;
  const auto source = [&](int64_t place, int64_t all, int64_t left) {
    if (all == left || !by_head) return place;
    return heads[static_cast<size_t>(place / head_width)] * head_width + place % head_width;
  };
  const int64_t columns = full.shape.size() == 2 ? full.shape[1] : 1;
  const int64_t kept_columns = kept.shape.size() == 2 ? kept.shape[1] : 1;
  std::vector<float> values;
  for (int64_t row = 0; row < kept.shape[0]; ++row) {
    for (int64_t column = 0; column < kept_columns; ++column) {
      const int64_t at = source(row, full.shape[0], kept.shape[0]) * columns +
                         source(column, columns, kept_columns);
      values.push_back(whole[static_cast<size_t>(at)]);
    }
  }
  return values;
}

// A nested checkpoint (with controllers: an adaptive one) in a folder of its own, with the tensors
// it was made of. `change` may alter them first.
class RandomCheckpoint {
 public:
  explicit RandomCheckpoint(ModelShape shape, uint64_t seed = 1,
                            const std::function<void(Tensors&)>& change = {},
                            Task task = Task::classify, const OutputConfig& output = {}) {
    const Vocabulary vocabulary = letters(shape.family);
    shape.vocabulary = vocabulary.size();
    shape.readout = readout_of(task);
    config_.task = task;
    config_.output = output;
    config_.shape = shape;
    config_.method = shape.controller > 0 ? Method::adaptive : Method::nested;
    if (shape.controller == 0) {
      config_.order = uniform_order(shape, default_group_width(shape.ffn));
    }
    for (int64_t i = 0; i < shape.labels; ++i) {
      config_.labels.push_back("label " + std::to_string(i));
    }
    tensors_ = random_tensors(shape, seed, config_.output_head());
    if (change) change(tensors_);
    CheckpointContent content{config_, vocabulary.to_text(), "# Random\n", "", {}};
    for (const TensorSpec& entry : config_.tensors()) {
      const std::vector<float>& values = tensors_.at(entry.name);
      content.tensors.push_back(
          {entry.name, DType::f32, entry.shape, std::as_bytes(std::span<const float>(values))});
    }
    write_checkpoint(path(), content);
  }

  // The same model as a file that holds only the units of `stored`.
  std::filesystem::path write_compact(const Selection& stored) const {
    ModelConfig config = config_;
    config.method = Method::dense;
    config.order.reset();
    config.stored = stored;
    CheckpointContent content{
        config, letters(config.shape.family).to_text(), "# Compact\n", "", {}};
    const std::vector<TensorSpec> full = config_.tensors();
    const std::vector<TensorSpec> kept = config.tensors();
    std::vector<std::vector<float>> values;
    for (size_t i = 0; i < full.size(); ++i) {
      const auto layer = static_cast<size_t>(full[i].module.layer);
      values.push_back(cut(tensors_.at(full[i].name), full[i], kept[i], stored.kept[layer],
                           config.shape.head_width()));
    }
    for (size_t i = 0; i < kept.size(); ++i) {
      content.tensors.push_back({kept[i].name, DType::f32, kept[i].shape,
                                 std::as_bytes(std::span<const float>(values[i]))});
    }
    write_checkpoint(folder_.path() / "compact", content);
    return folder_.path() / "compact";
  }

  std::filesystem::path path() const { return folder_.path() / "model"; }
  const ModelConfig& config() const { return config_; }
  const Tensors& tensors() const { return tensors_; }
  PlainModel plain() const { return {config_.shape, tensors_}; }

 private:
  TemporaryFolder folder_;
  ModelConfig config_;
  Tensors tensors_;
};

}  // namespace headroom::testing
