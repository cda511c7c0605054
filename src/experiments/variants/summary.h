// The page of the variants experiment: every kind of attention on one task, with intervals, paired
// differences from Standard, sizes, MACs and measured time.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/table.h"

namespace headroom {

struct VariantsSummary {
  Json results;         // results.json
  std::string page;     // README.md
  std::string scores;   // SVG: score against attention parameters; empty without any
  std::string macs;     // SVG: MACs over Standard's against tokens over width
  std::string latency;  // SVG: the same with measured time; empty when nothing was timed
  Table score_table;    // of the page
  Table time_table;     // likewise; without rows when nothing was timed
};

// `timing` is what bench_attention() measured: {date, machine, cells}, or null.
VariantsSummary summarise_variants(const std::vector<Json>& runs, const Json& timing);

}  // namespace headroom
