#include "engine/answers/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace headroom {

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
    EncodedPair pair = model.tokenizer().encode_pair(pieces, passage, longest);
    pairs.push_back({std::move(pair.ids), std::move(pair.types), pair.truncated});
  }
  return pairs;
}

std::vector<size_t> ranking(std::span<const Answer> answers) {
  std::vector<size_t> order(answers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return answers[a].logit > answers[b].logit; });
  return order;
}

}  // namespace headroom
