// From the per-seed result files of the nested experiment (one checkpoint whose budget governs
// heads and FFN groups) to what people read: one JSON, one Markdown page, three plots.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "experiments/arms.h"

namespace headroom {

// Every arm of the experiment, in the order of tables and legends.
Arms nested_arms();

struct NestedSummary {
  Json results;      // means and intervals of every arm and budget, paired differences, targets
  std::string page;  // Markdown; shows the plots as accuracy.svg, accuracy-time.svg and alive.svg
  // SVGs; each is empty, and not on the page, where the runs do not hold what it shows.
  std::string accuracy;       // accuracy against whole-model MACs, all arms
  std::string accuracy_time;  // accuracy of our arm and dense against measured time of one text
  std::string alive;          // when each head and FFN group comes alive, first seed
};

// `runs` are the contents of the per-seed files (at least one), of which any may lack any arm.
// `timing` is a bench run of the first one's selections with where and when it was made; {} where
// nothing was timed. Ours is the arm that the first run names as `default_arm`, else "nested".
NestedSummary summarise_nested(const std::vector<Json>& runs, const Json& timing);

}  // namespace headroom
