// Where a training run writes: a checkpoint directory at the end, its state beside it until then.
#pragma once

#include <filesystem>
#include <memory>

#include "base/files/locked_file.h"

namespace headroom {
inline namespace train {

inline constexpr const char* trials_file = "trials.json";  // of --minutes, in state_directory()

struct TrainingOutput {
  std::filesystem::path out;
  bool resume = false;   // go on with the unfinished run beside `out`
  bool restart = false;  // discard it

  std::filesystem::path state_directory() const;  // OUT.training
};

// Refuses (ErrorCode::usage) to replace what is not ours, or to forget an unfinished run.
void check_output(const TrainingOutput& output);

// Makes sure that the output can be written: fails before hours of training, not after them. While
// what it returns is kept, another run into the same output is refused.
[[nodiscard]] std::unique_ptr<LockedFile> open_output(const TrainingOutput& output);

}  // namespace train
}  // namespace headroom
