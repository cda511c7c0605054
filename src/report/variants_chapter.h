// The chapter of a report about kinds of attention on one task, or about kinds times budgets.
#pragma once

#include "report/html_page.h"
#include "report/results_folder.h"

namespace headroom {

ReportChapter variants_chapter(const ResultsFolder& folder);

}  // namespace headroom
