#include "data/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/measure/cosine.h"
#include "base/measure/entity_f1.h"
#include "base/measure/label_f1.h"
#include "base/measure/rank_correlation.h"
#include "base/measure/ranking.h"

namespace headroom {
namespace {

constexpr double least_probability = 1e-9;  // a float near 1 has no more below it
constexpr size_t search_rows = 256;         // texts that a vector's partner is looked for among
constexpr double similarity_scale = 20;     // of the loss that vectors are trained with

double cross_entropy(double probability, double truth) {
  const double p = std::clamp(probability, least_probability, 1 - least_probability);
  return -truth * std::log(p) - (1 - truth) * std::log(1 - p);
}

double per(double sum, int64_t count) {
  return sum / static_cast<double>(std::max<int64_t>(count, 1));
}

// Sentences may be several rows; they are counted whole.
Measured measure_tags(const EncodedDataset& rows, const RowOutputs& outputs,
                      const OutputNames& names) {
  Measured result;
  HitCounts entities;
  int64_t hits = 0;
  int64_t words = 0;
  std::vector<std::string_view> truth;
  std::vector<std::string_view> found;
  const size_t L = names.labels.size();
  for (int64_t row = 0; row < rows.size(); ++row) {
    const std::span<const int32_t> tags = rows.row_tags(row);
    const std::vector<float>& all = outputs[static_cast<size_t>(row)];
    for (size_t i = 0; i < tags.size(); ++i) {
      if (tags[i] == EncodedDataset::no_tag) continue;
      const auto scores = std::span(all).subspan(i * L, L);
      const auto best =
          static_cast<size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
      const auto label = static_cast<size_t>(tags[i]);
      truth.push_back(names.labels[label]);
      found.push_back(names.labels[best]);
      result.loss += cross_entropy(scores[label], 1);
      hits += best == label ? 1 : 0;
      ++words;
    }
    const auto next = static_cast<size_t>(row) + 1;
    if (next < rows.groups.size() && rows.groups[next] == rows.groups[next - 1]) continue;
    count_entities(truth, found, entities);
    ++result.examples;
    truth.clear();
    found.clear();
  }
  result.loss = per(result.loss, words);
  result.values = {{"f1", entities.f1()},
                   {"precision", entities.precision()},
                   {"recall", entities.recall()},
                   {"accuracy", per(static_cast<double>(hits), words)}};
  return result;
}

Measured measure_labels(const EncodedDataset& rows, const RowOutputs& outputs,
                        const OutputNames& names) {
  const auto L = static_cast<size_t>(rows.values_a_row);
  std::vector<float> scores;
  for (const std::vector<float>& row : outputs) scores.insert(scores.end(), row.begin(), row.end());
  Measured result;
  result.examples = rows.size();
  for (size_t i = 0; i < scores.size(); ++i) {
    result.loss += cross_entropy(scores[i], rows.values[i]);
  }
  result.loss = per(result.loss, static_cast<int64_t>(scores.size()));
  const std::vector<double> thresholds =
      names.thresholds.empty()
          ? best_thresholds(scores, rows.values, L)
          : std::vector<double>(names.thresholds.begin(), names.thresholds.end());
  const LabelF1 f1 = label_f1(count_labels(scores, rows.values, thresholds));
  result.values = {
      {"f1", f1.macro}, {"f1_micro", f1.micro}, {"precision", f1.precision}, {"recall", f1.recall}};
  return result;
}

Measured measure_numbers(const EncodedDataset& rows, const RowOutputs& outputs) {
  Measured result;
  result.examples = rows.size();
  std::vector<double> found;
  std::vector<double> truth;
  for (int64_t row = 0; row < rows.size(); ++row) {
    found.push_back(outputs[static_cast<size_t>(row)][0]);
    truth.push_back(rows.row_values(row)[0]);
    result.loss += (found.back() - truth.back()) * (found.back() - truth.back());
  }
  result.loss = per(result.loss, result.examples);
  result.values = {{"spearman", rank_correlation(found, truth).value},
                   {"rmse", std::sqrt(result.loss)}};
  return result;
}

Measured measure_rankings(const EncodedDataset& rows, const RowOutputs& outputs) {
  Measured result;
  result.examples = rows.size();
  std::vector<RankedRow> ranked;
  std::vector<RankedRow> given;
  for (int64_t row = 0; row < rows.size(); ++row) {
    const auto values = rows.row_values(row);
    const double score = outputs[static_cast<size_t>(row)][0];
    const int64_t query = rows.groups[static_cast<size_t>(row)];
    ranked.push_back({query, score, values[0], values[1]});
    given.push_back({query, 0, values[0], values[1]});
    result.loss += cross_entropy(score, values[0] > 0 ? 1 : 0);
  }
  result.loss = per(result.loss, result.examples);
  const RankingQuality quality = ranking_quality(ranked);
  const RankingQuality before = ranking_quality(given);
  result.values = {{"ndcg", quality.ndcg},
                   {"mrr", quality.mrr},
                   {"ndcg_before", before.ndcg},  // in the order of the rows, such as BM25's
                   {"mrr_before", before.mrr}};
  return result;
}

std::span<const float> text_vector(const std::vector<float>& row, size_t text, size_t width) {
  return std::span(row).subspan(text * width, width);
}

Measured measure_similarities(const EncodedDataset& rows, const RowOutputs& outputs, size_t D) {
  Measured result;
  result.examples = rows.size();
  std::vector<double> truth(rows.values.begin(), rows.values.end());
  const double most = std::max(*std::max_element(truth.begin(), truth.end()), 1e-9);
  for (const size_t width : {D, D / 2, D / 4}) {
    if (width == 0) continue;
    std::vector<double> found;
    for (const std::vector<float>& row : outputs) {
      found.push_back(
          cosine(text_vector(row, 0, D).first(width), text_vector(row, 1, D).first(width)));
    }
    const double value = rank_correlation(found, truth).value;
    result.values.push_back({width == D ? "spearman" : fmt::format("spearman_{}", width), value});
    if (width < D) continue;
    for (size_t i = 0; i < found.size(); ++i) {
      const double difference = found[i] - truth[i] / most;
      result.loss += difference * difference;
    }
  }
  result.loss = per(result.loss, result.examples);
  return result;
}

// Pairs without scores: where a text's partner comes among those of 256 rows.
Measured measure_search(const EncodedDataset& rows, const RowOutputs& outputs, size_t D) {
  Measured result;
  result.examples = rows.size();
  double reciprocal = 0;
  int64_t first = 0;
  for (size_t begin = 0; begin < outputs.size(); begin += search_rows) {
    const size_t end = std::min(outputs.size(), begin + search_rows);
    for (size_t i = begin; i < end; ++i) {
      const auto query = text_vector(outputs[i], 0, D);
      const double right = cosine(query, text_vector(outputs[i], 1, D));
      int64_t better = 0;
      double sum = 0;
      for (size_t j = begin; j < end; ++j) {
        const double other = cosine(query, text_vector(outputs[j], 1, D));
        if (j != i && other >= right) ++better;
        sum += std::exp(similarity_scale * (other - right));
      }
      reciprocal +=
          better < static_cast<int64_t>(ranking_depth) ? 1 / (static_cast<double>(better) + 1) : 0;
      first += better == 0 ? 1 : 0;
      result.loss += std::log(sum);
    }
  }
  result.loss = per(result.loss, result.examples);
  result.values = {{"mrr", per(reciprocal, result.examples)},
                   {"accuracy", per(static_cast<double>(first), result.examples)}};
  return result;
}

}  // namespace

Measured measure_outputs(Task task, const EncodedDataset& rows, const RowOutputs& outputs,
                         const OutputNames& names) {
  if (rows.size() == 0) return {};
  switch (task) {
    case Task::tag:
      return measure_tags(rows, outputs, names);
    case Task::multilabel:
      return measure_labels(rows, outputs, names);
    case Task::regress:
      return measure_numbers(rows, outputs);
    case Task::rerank:
      return measure_rankings(rows, outputs);
    case Task::embed: {
      const size_t D = outputs[0].size() / (rows.partners.size() + 1);
      return rows.values_a_row > 0 ? measure_similarities(rows, outputs, D)
                                   : measure_search(rows, outputs, D);
    }
    default:
      throw std::logic_error("measure_outputs: a task of one label");
  }
}

void add_agreement(Task task, const RowOutputs& outputs, const RowOutputs& full,
                   std::vector<NamedMeasure>& measures) {
  if (task != Task::regress && task != Task::rerank) return;
  std::vector<double> here;
  std::vector<double> there;
  for (const std::vector<float>& row : outputs) here.push_back(row[0]);
  for (const std::vector<float>& row : full) there.push_back(row[0]);
  measures.push_back({"rank_correlation", rank_correlation(here, there).value});
}

std::vector<int64_t> text_lengths(const EncodedDataset& rows) {
  std::vector<int64_t> lengths;
  for (const int32_t length : rows.lengths()) lengths.push_back(length);
  for (const EncodedDataset& partner : rows.partners) {
    for (const int32_t length : partner.lengths()) lengths.push_back(length);
  }
  return lengths;
}

}  // namespace headroom
