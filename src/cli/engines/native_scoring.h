// Runs the native engine over labelled rows: what eval and report count from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.h"
#include "data/encoded.h"
#include "engine/session.h"
#include "report/model_answers.h"

namespace headroom {

// Throws ErrorCode::usage for a budget that the model was not trained for: before data is read,
// which may take longer than finding that out.
void check_budgets(const ModelConfig& config, const std::vector<double>& budgets);
void require_budget(const Session& session, const Budget& budget);
// Of labelled rows, whose candidates a ranker may compare in rounds.
void require_budgets(const Session& session, const std::vector<Budget>& budgets);

// Rows of the data SPEC as the model's tokenizer encodes them; a synthetic model makes its own.
EncodedDataset eval_rows_of(const EngineModel& model, const std::string& data,
                            const std::filesystem::path& data_dir);

// A score of which add_spent() then gathers the costs, those of the rungs that ran for each answer;
// `share` is one over the rows.
BudgetScore spent_score(const ModelConfig& config, bool automatic,
                        const std::vector<int64_t>& lengths);
void add_spent(const EngineModel& model, const Answer& answer, double share, BudgetScore& score);

// Heads that ran for each answer, over all layers.
std::vector<int64_t> heads_of(const std::vector<Answer>& answers, const ModelShape& shape);

// In the order of `budgets`. Throws ErrorCode::interrupted after Ctrl-C.
std::vector<report::BudgetAnswers> answer_rows(Session& session, const EncodedDataset& rows,
                                               const std::vector<Budget>& budgets,
                                               ProgressSink& progress);

}  // namespace headroom
