// The chapter of a report about kinds of attention on one task, or about kinds times budgets.
#pragma once

#include "experiments/results_folder.h"
#include "report/html_page.h"

namespace headroom {

ReportChapter variants_chapter(const ResultsFolder& folder);

}  // namespace headroom
