// The chapter of a report about one experiment: every section is there when the folder holds what
// it shows, whatever the experiment is called.
#pragma once

#include "report/html_page.h"
#include "report/results_folder.h"

namespace headroom {

ReportChapter results_chapter(const ResultsFolder& folder);

}  // namespace headroom
