#include "cli/bulk/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace headroom {
namespace {

constexpr uint64_t kilobyte = 1000;

}  // namespace

uint64_t bytes_on_disk(const std::string& file) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(file == "-" ? "/dev/stdin" : file, error);
  return error ? 0 : size;
}

BulkProgress::BulkProgress(const std::vector<std::string>& files, bool answers_on_stdout) {
  shown_.stage = "predict";
  before_.push_back(0);
  bool known = !files.empty();
  for (const std::string& file : files) {
    const uint64_t bytes = bytes_on_disk(file);
    known = known && bytes > 0;
    before_.push_back(before_.back() + bytes);
  }
  shown_.unit = known ? "kB" : "texts";
  shown_.scaled_unit = "texts";
  if (known) shown_.total = static_cast<int64_t>(before_.back() / kilobyte);
  wanted_ = !(answers_on_stdout && ::isatty(STDOUT_FILENO) == 1) &&
            (known || ::isatty(STDERR_FILENO) == 1);
}

void BulkProgress::set_range(const LineRange& range) {
  range_ = range;
  shown_.total = static_cast<int64_t>((range.end - range.begin) / kilobyte);
}

void BulkProgress::update(int64_t answers, int64_t marked) {
  if (!wanted_) return;
  shown_.done = answers;
  if (marked > 0) shown_.detail = fmt::format("{} marked", marked);
  console_.update(shown_);
}

void BulkProgress::update(size_t file, const InputStream& input, int64_t answers, int64_t marked) {
  if (!wanted_) return;
  shown_.done = answers;
  if (shown_.total > 0) {
    const uint64_t inside = std::clamp(input.stored_offset(), range_.begin, range_.end);
    shown_.done = static_cast<int64_t>((before_[file] + inside - range_.begin) / kilobyte);
  }
  if (!first_) first_ = shown_.done;
  shown_.resumed_at = *first_;
  const int64_t covered = shown_.done - *first_;
  shown_.units_scale =
      covered > 0 ? static_cast<double>(answers) / static_cast<double>(covered) : 1.0;
  if (marked > 0) shown_.detail = fmt::format("{} marked", marked);
  console_.update(shown_);
}

}  // namespace headroom
