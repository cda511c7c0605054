// How far `predict` is in its files, for people: by bytes as they lie on disk, with texts a second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "data/input/line_batches.h"

namespace headroom {

// 0 where the system does not say, as of pipes. - is standard input.
uint64_t bytes_on_disk(const std::string& file);

class BulkProgress {
 public:
  // Shown unless answers go to a terminal; without a known size only where a person can see it.
  BulkProgress(const std::vector<std::string>& files, bool answers_on_stdout);

  // Only this part of the only file counts.
  void set_range(const LineRange& range);

  // `answers` in this run.
  void update(size_t file, const InputStream& input, int64_t answers, int64_t marked);
  void update(int64_t answers, int64_t marked);  // of an input without bytes
  void note(const std::string& line) { console_.note(line); }

 private:
  ConsoleProgress console_;
  ProgressUpdate shown_;
  bool wanted_ = true;
  std::vector<uint64_t> before_;  // bytes of all files before each one; the last is the total
  LineRange range_;
  std::optional<int64_t> first_;  // done when this run began
};

}  // namespace headroom
