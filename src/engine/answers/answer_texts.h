// Texts to answers of every output: what the session's answers to tokens say about the texts. The
// command line, the C++ API and Python enter here.
#pragma once

#include <span>
#include <vector>

#include "engine/session.h"
#include "headroom/types.h"

namespace headroom {

// A budget for each text, or one for all. Throws like Session::run(), and ErrorCode::usage for
// options that the model's output does not have.
std::vector<Answer> answer_texts(Session& session, std::span<const Text> texts,
                                 std::span<const Budget> budgets, const AnswerOptions& options);

// Scores of a query with each of the passages, in their order. The query is tokenised once, and an
// automatic budget is spent in two rounds (engine/answers/rank_rounds.h). Throws ErrorCode::usage
// for a model that is no ranker.
std::vector<Answer> rank_passages(Session& session, std::string_view query,
                                  std::span<const std::string_view> passages, const Budget& budget);

}  // namespace headroom
