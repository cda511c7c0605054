// The chapter of a report about one checkpoint on one labelled set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/table.h"
#include "budget/shape.h"
#include "report/html_page.h"
#include "report/html_parts.h"
#include "report/model_answers.h"
#include "report/plot/alive_map.h"

namespace headroom::report {

struct MeasuredModel {
  std::string name;  // of its folder
  std::string data;  // what it was scored on, "agnews:test"
  std::string precision;
  Table description;  // what kind of model it is: two columns
  ModelShape shape;
  BudgetSelections selections;
  bool ordered = false;  // its units come alive in one order as the budget grows
  ModelAnswers answers;
  std::vector<BudgetScore> ladder = {};  // of budgets 0 and auto, where it has a policy
  Json timing;                           // a bench run as in timing.json; {}: not timed
  int64_t file_bytes = 0;                // of the weights on disk
  int64_t loaded_bytes = 0;              // how much more memory the process held once it was loaded
  int64_t peak_bytes = 0;                // most memory while the rows were scored
  int threads = 1;                       // that scored them
  std::vector<Command> commands;
};

Chapter model_chapter(const MeasuredModel& model, size_t examples);

}  // namespace headroom::report
