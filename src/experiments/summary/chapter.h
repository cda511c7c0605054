// The chapter of a report about one experiment: every section is there when the folder holds what
// it shows, whatever the experiment is called.
#pragma once

#include "experiments/summary/results_folder.h"
#include "report/html_page.h"

namespace headroom::experiments {

report::Chapter results_chapter(const ResultsFolder& folder);

}  // namespace headroom::experiments
