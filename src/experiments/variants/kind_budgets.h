// Every kind of attention with every budget method at the same whole-model MACs: one seed, arms
// KIND-none, KIND-budgeted, KIND-static, KIND-adaptive and KIND-capped. No torch in this header.
//
// The MACs are those of Standard with a quarter of its heads. A kind whose heads cost less keeps
// more of them: as many as come nearest. "none" is a model that has only so many heads from the
// start, spread evenly over layers; "budgeted" and "static" choose them (2605.05697), the former
// for all budgets at once. "adaptive" chooses them for each text (2604.22583): s may go from half
// of the affordable share to one and a half of it, and after training its bias is moved until
// validation rows cost what is allowed, controllers included. "capped" does both: gates rank the
// heads, and texts choose among the first one and a half times as many as are affordable. All arms
// take the same steps.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "experiments/experiment.h"
#include "experiments/record/record.h"

namespace headroom::experiments::variants {

Record run_kind_budgets_seed(const Experiment& experiment, uint64_t seed,
                             const std::filesystem::path& file, ProgressSink& progress);

}  // namespace headroom::experiments::variants
