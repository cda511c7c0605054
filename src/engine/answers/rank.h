// Rankings: a query paired with passages, and passages or labels in the order of their scores.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "engine/model.h"
#include "headroom/types.h"

namespace headroom {

// The query with each of the passages, tokenised once. Throws ErrorCode::usage for a model that is
// no ranker, ErrorCode::bad_data for text that is not UTF-8.
std::vector<Tokens> query_pairs(const EngineModel& model, std::string_view query,
                                std::span<const std::string_view> passages);

// Indices of answers, best first; equal scores in their order.
std::vector<size_t> ranking(std::span<const Answer> answers);

// The labels of the `count` highest scores, likewise.
std::vector<size_t> best_labels(const Answer& answer, size_t count);

}  // namespace headroom
