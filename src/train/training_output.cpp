#include "train/training_output.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "train/training_state.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

// Other programs keep a config.json too; ours has a "headroom" object.
bool is_checkpoint(const fs::path& directory) {
  try {
    return parse_json(read_file(directory / "config.json", ErrorCode::bad_model, 16ULL << 20),
                      ErrorCode::bad_model, "config.json")
        .contains("headroom");
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

fs::path TrainingOutput::state_directory() const {
  if (out.empty()) throw Error(ErrorCode::usage, "train", "--out is empty: name a directory");
  fs::path clean = fs::absolute(out).lexically_normal();
  if (!clean.has_filename()) clean = clean.parent_path();  // "model/" and "."
  return clean.parent_path() / (clean.filename().string() + ".training");
}

void check_output(const TrainingOutput& output) {
  std::error_code ignored;
  if (fs::equivalent(output.out, fs::current_path(), ignored)) {
    throw Error(ErrorCode::usage, "train",
                "--out is the current directory, which cannot be replaced: name another one");
  }
  if (fs::exists(output.out) && !is_checkpoint(output.out) &&
      !(fs::is_directory(output.out) && fs::is_empty(output.out))) {
    throw Error(ErrorCode::usage, "train",
                fmt::format("--out {} exists and is not a checkpoint: choose another name",
                            output.out.string()));
  }
  const fs::path state = output.state_directory();
  if (has_state(state) && !output.resume && !output.restart) {
    throw Error(ErrorCode::usage, "train",
                fmt::format("{} holds an unfinished run: --resume goes on with it, --restart "
                            "discards it",
                            state.string()));
  }
}

void open_output(const TrainingOutput& output) {
  const fs::path state = output.state_directory();
  std::error_code error;
  if (output.restart) remove_tree(state);
  fs::create_directories(state, error);
  if (error) {
    throw Error(ErrorCode::runtime, "train",
                fmt::format("cannot write beside {}: {}", output.out.string(), error.message()));
  }
  write_file_atomically(state / "writable", "");
  fs::remove(state / "writable", error);
}

}  // namespace headroom
