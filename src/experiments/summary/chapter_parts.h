// What the chapters of all experiments have in common.
#pragma once

#include <string>

#include "base/table.h"
#include "experiments/summary/results_folder.h"
#include "report/html_page.h"

namespace headroom::experiments {

// A chapter with its title and lead, without sections.
Chapter chapter_about(const ResultsFolder& folder);

// Seeds, rows, model, start, machine and date.
Table setting_table(const Runs& runs);

// HTML: the command that makes the experiment again; empty where it is not known.
std::string experiment_command(const ResultsFolder& folder);

}  // namespace headroom::experiments
