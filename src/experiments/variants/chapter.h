// The chapter of a report about kinds of attention on one task, or about kinds times budgets.
#pragma once

#include "experiments/summary/results_folder.h"
#include "report/html_page.h"

namespace headroom::experiments::variants {

report::Chapter chapter(const ResultsFolder& folder);

}  // namespace headroom::experiments::variants
