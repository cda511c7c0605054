// A file of answers that a later run can go on with. FILE.progress beside it says how much of the
// input is answered and how long the answers are; what is behind that length is written again.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/files/locked_file.h"
#include "base/json.h"

namespace headroom {

struct AnswerState {
  uint64_t file = 0;          // of the inputs, from 0
  uint64_t input_byte = 0;    // of that file: the first that is not answered, uncompressed
  uint64_t output_bytes = 0;  // that the answers take
  int64_t answers = 0;        // marked ones included
  int64_t marked = 0;
  bool complete = false;
};

// In which of `now`'s keys two jobs differ, in words: "budget 0.5, not 1"; empty for equal ones.
std::string job_difference(const Json& before, const Json& now);

class AnswerFile {
 public:
  // `job` is all that the answers follow from. With `resume` goes on where the file of the same job
  // ended, if there is one; without it an unfinished file is not overwritten (ErrorCode::usage),
  // and a finished one is, which replaces() tells.
  AnswerFile(std::filesystem::path path, Json job, bool resume);
  bool replaces() const { return replaces_; }

  const AnswerState& state() const { return state_; }

  // Appends `answers`; `state` says how far the input is answered with them, its output_bytes and
  // complete are set here.
  void append(std::string_view answers, AnswerState state);
  void finish();
  // Makes what was appended durable, and FILE.progress say so. append() does it now and then.
  void save();

 private:
  using Clock = std::chrono::steady_clock;

  void go_on();

  std::filesystem::path path_;
  std::filesystem::path progress_path_;
  Json job_;
  LockedFile file_;
  AnswerState state_;
  bool replaces_ = false;
  Clock::time_point saved_;
};

}  // namespace headroom
