// latency.json and scores.json beside a model: the first byte says which.
#include <cmath>

#include "base/files/scratch_folder.h"
#include "checkpoint/latency_file.h"
#include "checkpoint/score_file.h"
#include "input.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

void check_table(const LatencyTable& table) {
  for (const double budget : {0.01, 0.37, 1.0}) {
    for (const int64_t tokens : {1, 50, 5000}) {
      const LatencyEstimate estimate = table.estimate(budget, tokens);
      require(std::isfinite(estimate.median_ms) && estimate.median_ms > 0, "a time is a time");
      require(estimate.p90_ms >= estimate.median_ms * (1 - 1e-9), "p90 is not below the median");
    }
  }
}

const Target model_files("model_files", [](std::string_view input) {
  static const ScratchFolder folder;
  Numbers numbers(input);
  const bool scores = numbers.flag();
  overwrite(folder.path() / (scores ? "scores.json" : "latency.json"), numbers.rest());
  accepts({ErrorCode::bad_model}, [&] {
    if (scores) {
      require(!read_scores(folder.path())->curve.empty(), "a curve has a point");
    } else if (const auto table = find_latency_table(folder.path(), "a machine", "fp32", 1)) {
      check_table(*table);
    }
  });
});

}  // namespace
}  // namespace headroom::fuzz
