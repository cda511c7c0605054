// What a stopped training needs to go on: a few tensors and numbers, replaced atomically.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/torch.h"

namespace headroom {
inline namespace train {

struct StageRecord {
  std::string name;
  int64_t steps = 0;
  double best_score = -1;
  int64_t best_step = 0;
  int64_t stale_validations = 0;  // since the best
  double seconds = 0;             // spent so far
  bool finished = false;
};

struct TrainingState {
  Json fingerprint;
  std::vector<StageRecord> stages;  // the last one is under way unless finished
  int64_t total_steps = 0;          // over all stages
  std::string log;                  // JSON lines so far
  std::vector<std::string> order;   // unit names of a nested model's order; empty: none yet
  // One tensor per parameter group each:
  std::vector<torch::Tensor> values, mean, square;
  std::vector<torch::Tensor> start;  // values when the current stage began (the teacher)
  std::vector<torch::Tensor> best;   // values at the best validation of the current stage
};

bool has_state(const std::filesystem::path& directory);
void save_state(const std::filesystem::path& directory, const TrainingState& state);

// Nothing when there is no state. Throws ErrorCode::bad_data when it is damaged, ErrorCode::usage
// when it was made with another fingerprint (other data, options or version).
std::optional<TrainingState> load_state(const std::filesystem::path& directory,
                                        const Json& fingerprint);

// What sets two fingerprints apart: "cased: false there, true here; ...".
std::string differences(const Json& there, const Json& here);

}  // namespace train
}  // namespace headroom
