// What a soak test keeps of hours of load: sums over its slices, and a sample of answers that are
// compared with what the engine says to the same texts at the same budgets.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "data/dataset.h"
#include "load_report.h"

namespace headroom {

class SoakTotals {
 public:
  void add(const LoadSummary& slice);
  // Counts are sums; p50_ms and p99_ms are of the median slice.
  Json to_json() const;

 private:
  std::vector<LoadSummary> slices_;
};

class AnswerSample {
 public:
  // Keeps a response of status 200 to row `row`, ten of them a second at most.
  void offer(size_t row, std::string_view response);

  // `models`: the checkpoint of each name that answers say ("news@2"). An answer is wrong whose
  // label, scores or tokens are not those that the checkpoint gives at the answer's budget, bit by
  // bit, or whose model is none of these. {"compared", "by_model", "budgets", "wrong", "example"}
  Json compare(const std::vector<TextRow>& rows,
               const std::map<std::string, std::filesystem::path>& models) const;

 private:
  struct Kept {
    size_t row = 0;
    std::string body;
  };

  std::vector<Kept> kept_;
  std::chrono::steady_clock::time_point next_ = {};
};

}  // namespace headroom
