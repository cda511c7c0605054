#include "engine/answers/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "budget/order.h"

namespace headroom {
namespace {

std::vector<size_t> descending(const std::vector<double>& scores) {
  const std::vector<int64_t> order = argsort_descending(scores);
  return {order.begin(), order.end()};
}

}  // namespace

std::vector<Tokens> query_pairs(const EngineModel& model, std::string_view query,
                                std::span<const std::string_view> passages) {
  if (model.config().task != Task::rerank) {
    throw Error(ErrorCode::usage, "rerank",
                fmt::format("this is a model of task {}: a ranker has one score for a pair of "
                            "texts",
                            task_name(model.config().task)));
  }
  const auto longest = static_cast<int>(model.config().longest_input());
  const std::vector<int32_t> pieces = model.tokenizer().pieces(query);
  std::vector<Tokens> pairs;
  pairs.reserve(passages.size());
  for (const std::string_view passage : passages) {
    pairs.push_back(model.tokenizer().encode_pair(pieces, passage, longest));
  }
  return pairs;
}

std::vector<size_t> ranking(std::span<const Answer> answers) {
  std::vector<double> logits;
  for (const Answer& answer : answers) logits.push_back(answer.logit);
  return descending(logits);
}

std::vector<size_t> best_labels(const Answer& answer, size_t count) {
  std::vector<size_t> labels = descending(answer.scores);
  labels.resize(std::min(count, labels.size()));
  return labels;
}

}  // namespace headroom
