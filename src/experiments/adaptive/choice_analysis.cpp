#include "experiments/adaptive/choice_analysis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/measure/rank_correlation.h"
#include "budget/cost.h"
#include "budget/score.h"
#include "train/peak_memory.h"

namespace headroom::experiments::adaptive {
namespace {

std::vector<double> doubles(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.to(torch::kCPU).to(torch::kFloat64).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

double overall_mean(const torch::Tensor& tensor) {
  return tensor.to(torch::kFloat64).mean().item<double>();
}

// Of the attention blocks of all rows: as with the choice, over dense.
double published_fraction(const ModelShape& shape, const ChoiceEvaluation& result) {
  ModelShape plain = shape;
  plain.controller = 0;
  const std::vector<double> shares = doubles(result.share.to(torch::kFloat64).mean(-1));
  const std::vector<int64_t> lengths = result.lengths();
  double used = 0;
  double dense = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    used += published_attention_macs(shape, shares[i], lengths[i]);
    dense += published_attention_macs(plain, 1.0, lengths[i]);
  }
  return used / dense;
}

double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

// The row whose length is nearest to 12 tokens: short enough to be looked at.
Batch short_row(const std::vector<Batch>& batches) {
  constexpr int64_t wanted = 12;
  const Batch* best = nullptr;
  int64_t best_row = 0;
  int64_t best_length = 1 << 30;
  for (const Batch& batch : batches) {
    const torch::Tensor lengths = batch.key_bias.defined()
                                      ? (batch.key_bias == 0).reshape({batch.size(), -1}).sum(-1)
                                      : torch::full({batch.size()}, batch.length());
    const std::vector<double> all = doubles(lengths);
    for (size_t row = 0; row < all.size(); ++row) {
      const auto length = static_cast<int64_t>(all[row]);
      if (std::abs(length - wanted) >= std::abs(best_length - wanted)) continue;
      best = &batch;
      best_row = static_cast<int64_t>(row);
      best_length = length;
    }
  }
  const auto cut = [&](const torch::Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    return tensor.narrow(0, best_row, 1).narrow(1, 0, best_length);
  };
  Batch one;
  one.tokens = cut(best->tokens);
  one.types = cut(best->types);
  return one;
}

// (H, T, T): every head's attention in one sequence x (1, T, D).
torch::Tensor attention_shares(const AttentionWeights& weights, const torch::Tensor& x) {
  const int64_t T = x.size(1);
  const int64_t W = weights.head_width();
  const auto by_head = [&](const torch::Tensor& y) {
    return y.reshape({T, weights.heads, W}).transpose(0, 1);
  };
  const torch::Tensor queries = torch::linear(x, weights.query.weight, weights.query.bias);
  const torch::Tensor keys =
      has_key_projection(weights.kind) ? torch::linear(x, weights.key.weight, weights.key.bias) : x;
  const torch::Tensor scores = torch::matmul(by_head(queries), by_head(keys).transpose(1, 2));
  return torch::softmax(scores / std::sqrt(static_cast<double>(W)), -1);
}

}  // namespace

Point choice_point(const ModelShape& shape, double budget, const ChoiceEvaluation& result) {
  const BudgetScore score = choice_score(shape, budget, result.heads_per_row(), result.lengths());
  Point point;
  point.budget = budget;
  point.accuracy = result.total.accuracy;
  point.loss = result.total.loss;
  point.s_mean = overall_mean(result.share);
  point.s_layers = doubles(result.share.to(torch::kFloat64).mean(0));
  point.heads_layers = doubles(result.heads.to(torch::kFloat64).mean(0));
  point.active_heads = score.active_heads;
  point.macs_fraction = score.model_macs_fraction;
  point.attention_macs = score.attention_macs;
  point.model_macs = score.model_macs;
  point.published_fraction = published_fraction(shape, result);
  point.parameters = static_cast<double>(score.parameters);
  return point;
}

ClassShares shares_by_class(const ChoiceEvaluation& result, int64_t classes) {
  ClassShares shares;
  for (int64_t layer = 0; layer < result.share.size(1); ++layer) {
    std::vector<double>& means = shares.mean.emplace_back();
    std::vector<double>& deviations = shares.deviation.emplace_back();
    for (int64_t label = 0; label < classes; ++label) {
      const torch::Tensor of_class =
          result.share.select(1, layer).masked_select(result.labels == label).to(torch::kFloat64);
      means.push_back(of_class.numel() > 0 ? of_class.mean().item<double>() : 0.0);
      deviations.push_back(of_class.numel() > 1 ? of_class.std().item<double>() : 0.0);
    }
  }
  return shares;
}

Difficulty shares_by_difficulty(const ChoiceEvaluation& result, const torch::Tensor& dense_loss) {
  const std::vector<double> share = doubles(result.share.to(torch::kFloat64).mean(-1));
  const std::vector<double> heads = doubles(result.heads.to(torch::kFloat64).mean(-1));
  const std::vector<double> tokens = doubles(result.tokens);
  const std::vector<double> loss = doubles(dense_loss);
  Difficulty difficulty{rank_correlation(share, loss),
                        rank_correlation(heads, loss),
                        rank_correlation(share, tokens),
                        rank_correlation(share, loss, tokens),
                        {}};
  std::vector<size_t> order(loss.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return loss[a] < loss[b]; });
  for (size_t third = 0; third < 3; ++third) {
    const size_t begin = order.size() * third / 3;
    const size_t end = order.size() * (third + 1) / 3;
    const auto mean = [&](const std::vector<double>& values) {
      double sum = 0;
      for (size_t i = begin; i < end; ++i) sum += values[order[i]];
      return sum / static_cast<double>(std::max<size_t>(1, end - begin));
    };
    difficulty.thirds.push_back({mean(share), mean(heads), mean(tokens)});
  }
  return difficulty;
}

std::vector<CurvePoint> validation_curve_of(const std::string& log) {
  std::vector<CurvePoint> curve;
  for (size_t begin = 0; begin < log.size();) {
    const size_t end = std::min(log.find('\n', begin), log.size());
    const Json line =
        parse_json(log.substr(begin, end - begin), ErrorCode::bad_data, "training log");
    if (line.contains("validation")) curve.push_back(parse_curve_point(line, "training log"));
    begin = end + 1;
  }
  return curve;
}

AttentionMaps attention_maps(const ElasticModel& model, const std::vector<Batch>& batches) {
  const torch::InferenceMode inference;
  const Batch row = short_row(batches);
  const HeadLimit limit = model.head_limit(1.0);
  ChoiceTrace trace;
  const HeadChooser choose = choose_by_controller(model.weights, limit, {}, &trace);
  std::vector<torch::Tensor> shares;
  ForwardOptions options = model.evaluation();
  options.choose = [&](size_t layer, const torch::Tensor& x, const torch::Tensor& key_bias) {
    shares.push_back(attention_shares(model.weights.layers[layer].attention, x));
    return choose(layer, x, key_bias);
  };
  forward(model.weights, row, options);
  AttentionMaps maps;
  // Positions instead of words: results are published, the rows of a data set are not.
  for (int64_t position = 1; position <= row.length(); ++position) {
    maps.tokens.push_back(std::to_string(position));
  }
  for (size_t layer = 0; layer < shares.size(); ++layer) {
    const torch::Tensor z = trace.requests[layer].relevance[0];
    const std::vector<double> q = doubles(torch::softmax(z / model.relevance_temperature, -1));
    const std::vector<double> order = doubles(torch::argsort(z, int64_t{0}, /*descending=*/true));
    LayerMaps& maps_of_layer = maps.layers.emplace_back();
    maps_of_layer.s = trace.requests[layer].share[0].item<double>();
    for (const double head : order) {
      const auto number = static_cast<int64_t>(head);
      std::vector<double> values = doubles(shares[layer][number]);
      for (double& value : values) value = rounded(value);
      maps_of_layer.heads.push_back({number, q[static_cast<size_t>(number)],
                                     trace.chosen[layer][0][number].item<double>() > 0, values});
    }
  }
  return maps;
}

PeakMemory measure_memory(const ElasticModel& model, const Batch& batch) {
  const torch::InferenceMode inference;
  const int64_t rows = std::min<int64_t>(32, batch.size());
  const auto first = [&](const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.narrow(0, 0, rows).to(torch::kCPU).contiguous() : tensor;
  };
  const Batch here{first(batch.tokens), first(batch.types), first(batch.key_bias), {}};
  const ModelWeights weights = to_device(model.weights, torch::kCPU);
  const HeadLimit limit = model.head_limit(1.0);
  ForwardOptions chosen = model.evaluation();
  chosen.choose = choose_by_controller(weights, limit, {}, nullptr);
  chosen.skip = true;
  const int64_t dense_bytes = peak_bytes([&] { forward(weights, here, model.evaluation()); });
  const int64_t chosen_bytes = peak_bytes([&] { forward(weights, here, chosen); });
  // What choosing saves is told by the same executor alone: it runs a head at a time.
  const ChoiceOverride every_head{1.0};
  ForwardOptions all = chosen;
  all.choose = choose_by_controller(weights, limit, every_head, nullptr);
  const int64_t all_bytes = peak_bytes([&] { forward(weights, here, all); });
  return {rows, here.length(), static_cast<double>(dense_bytes), static_cast<double>(chosen_bytes),
          static_cast<double>(all_bytes)};
}

}  // namespace headroom::experiments::adaptive
