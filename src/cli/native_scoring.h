// Runs the native engine over labelled rows: what eval and report count from.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "data/encoded.h"
#include "engine/model.h"
#include "engine/worker.h"
#include "report/model_answers.h"

namespace headroom {

// What --threads means: 0 is one per core.
int thread_count(int wanted);

// Throws ErrorCode::usage for a budget that the model was not trained for: before data is read,
// which may take longer than finding that out.
void check_budgets(const EngineModel& model, const std::vector<double>& budgets);

// Rows of the data SPEC as the model's tokenizer encodes them; a synthetic model makes its own.
EncodedDataset eval_rows_of(const EngineModel& model, const std::string& data,
                            const std::filesystem::path& data_dir);

// Heads that ran for each answer, over all layers.
std::vector<int64_t> heads_of(const std::vector<Answer>& answers, const ModelShape& shape);

// In the order of `budgets`. Throws ErrorCode::interrupted after Ctrl-C.
std::vector<BudgetAnswers> answer_rows(const std::shared_ptr<const EngineModel>& model,
                                       const EncodedDataset& rows,
                                       const std::vector<double>& budgets, int threads,
                                       ProgressSink& progress);

}  // namespace headroom
