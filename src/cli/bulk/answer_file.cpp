#include "cli/bulk/answer_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/files/file.h"

namespace headroom {
namespace {

// What a killed run computes again, at most; saving takes milliseconds.
constexpr std::chrono::seconds save_interval(2);

[[noreturn]] void refuse_output(const std::filesystem::path& path, const std::string& fact) {
  throw Error(ErrorCode::usage, "write answers", fmt::format("{} {}", path.string(), fact));
}

[[noreturn]] void fail_output(const std::filesystem::path& path) {
  throw Error(ErrorCode::runtime, "write answers",
              fmt::format("{}: {}", path.string(), std::strerror(errno)));
}

Json progress_json(const Json& job, const AnswerState& state) {
  return {{"job", job},
          {"file", state.file},
          {"input_byte", state.input_byte},
          {"output_bytes", state.output_bytes},
          {"answers", state.answers},
          {"marked", state.marked},
          {"complete", state.complete}};
}

AnswerState read_progress(const Json& json, const std::string& origin) {
  const JsonFields fields(json, ErrorCode::bad_data, origin);
  const auto count = [&](const char* key) {
    return fields.integer(key, 0, std::numeric_limits<int64_t>::max());
  };
  AnswerState state;
  state.file = static_cast<uint64_t>(count("file"));
  state.input_byte = static_cast<uint64_t>(count("input_byte"));
  state.output_bytes = static_cast<uint64_t>(count("output_bytes"));
  state.answers = count("answers");
  state.marked = count("marked");
  state.complete = fields.boolean_or("complete", false);
  return state;
}

}  // namespace

std::string job_difference(const Json& before, const Json& now) {
  for (const auto& [key, value] : now.items()) {
    const Json former = before.value(key, Json());
    if (former != value) return fmt::format("{} {}, not {}", key, shown(former), shown(value));
  }
  return "";
}

AnswerFile::AnswerFile(std::filesystem::path path, Json job, bool resume)
    : path_(std::move(path)),
      progress_path_(path_.string() + ".progress"),
      job_(std::move(job)),
      file_(path_, "write answers") {
  const bool known = std::filesystem::exists(progress_path_);
  Json progress;
  if (known) {
    progress = parse_json(read_file(progress_path_, ErrorCode::bad_data), ErrorCode::bad_data,
                          progress_path_.string());
  }
  if (resume) {
    if (!known && file_.size() > 0) {
      refuse_output(path_, fmt::format("is there without {}, so nothing tells where to go on; "
                                       "without --resume it is written anew",
                                       progress_path_.string()));
    }
    if (known) {
      state_ = read_progress(progress, progress_path_.string());
      const std::string other = job_difference(progress.value("job", Json::object()), job_);
      if (!other.empty()) refuse_output(path_, "was begun with " + other);
    }
  } else if (known && !read_progress(progress, progress_path_.string()).complete) {
    refuse_output(path_, fmt::format("was begun by a run that did not finish: --resume goes on "
                                     "with it; remove {} to begin anew",
                                     progress_path_.string()));
  } else {
    replaces_ = file_.size() > 0;
  }
  go_on();
}

// Progress is written before the file is shortened: killed between the two, nothing claims more
// than is there.
void AnswerFile::go_on() {
  const bool changed =
      state_.complete ? file_.size() != state_.output_bytes : file_.size() < state_.output_bytes;
  if (changed) {
    throw Error(ErrorCode::bad_data, "write answers",
                fmt::format("{} has {} bytes, {} says {}: was it changed since?", path_.string(),
                            file_.size(), progress_path_.string(), state_.output_bytes));
  }
  if (state_.complete) return;
  save();
  saved_ = {};  // the first answers are saved at once
  if (::ftruncate(file_.descriptor(), static_cast<off_t>(state_.output_bytes)) != 0 ||
      ::lseek(file_.descriptor(), 0, SEEK_END) < 0) {
    fail_output(path_);
  }
}

void AnswerFile::append(std::string_view answers, AnswerState state) {
  write_all(file_.descriptor(), answers, path_);
  state.output_bytes = state_.output_bytes + answers.size();
  state_ = state;
  if (Clock::now() - saved_ >= save_interval) save();
}

void AnswerFile::finish() {
  state_.complete = true;
  save();
}

void AnswerFile::save() {
  sync_path(path_);
  write_file_atomically(progress_path_, progress_json(job_, state_).dump(2) + "\n");
  saved_ = Clock::now();
}

}  // namespace headroom
