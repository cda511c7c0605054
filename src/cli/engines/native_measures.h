// Runs the native engine over rows whose target is not one label, and measures what it says.
#pragma once

#include <vector>

#include "base/progress.h"
#include "budget/score.h"
#include "data/encoded.h"
#include "engine/session.h"

namespace headroom {

// In the order of `budgets`; an automatic one is for rankers. Throws ErrorCode::interrupted after
// Ctrl-C.
std::vector<BudgetScore> measure_rows(Session& session, const EncodedDataset& rows,
                                      const std::vector<Budget>& budgets, ProgressSink& progress);

}  // namespace headroom
