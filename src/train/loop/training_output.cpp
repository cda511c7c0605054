#include "train/loop/training_output.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files/file.h"
#include "checkpoint/checkpoint.h"
#include "train/loop/training_state.h"

namespace headroom {
inline namespace train {
namespace fs = std::filesystem;

fs::path TrainingOutput::state_directory() const {
  fs::path clean = fs::absolute(out).lexically_normal();
  if (!clean.has_filename()) clean = clean.parent_path();  // "model/" and "."
  return clean.parent_path() / (clean.filename().string() + ".training");
}

void check_output(const TrainingOutput& output) {
  require_replaceable(output.out, "train");
  const fs::path state = output.state_directory();
  const bool unfinished = has_state(state) || fs::exists(state / trials_file);
  if (unfinished && !output.resume && !output.restart) {
    throw Error(ErrorCode::usage, "train",
                fmt::format("{} holds an unfinished run: --resume goes on with it, --restart "
                            "discards it",
                            state.string()));
  }
}

std::unique_ptr<LockedFile> open_output(const TrainingOutput& output) {
  const fs::path state = output.state_directory();
  std::error_code error;
  fs::create_directories(state, error);
  if (error) {
    throw Error(ErrorCode::runtime, "train",
                fmt::format("cannot write beside {}: {}", output.out.string(), error.message()));
  }
  const fs::path lock = state / "lock";
  auto locked = std::make_unique<LockedFile>(lock, "train");
  if (output.restart) {
    for (const fs::directory_entry& entry : fs::directory_iterator(state)) {
      if (entry.path() != lock) remove_tree(entry.path());
    }
  }
  return locked;
}

}  // namespace train
}  // namespace headroom
