// Progress for people: a live bar on a terminal, a plain line now and then otherwise. All of it on
// stderr, so that stdout stays data.
#pragma once

#include <chrono>
#include <string>

#include "base/progress.h"

namespace headroom {

class ConsoleProgress : public ProgressSink {
 public:
  ConsoleProgress();
  ~ConsoleProgress() override;
  ConsoleProgress(const ConsoleProgress&) = delete;
  ConsoleProgress& operator=(const ConsoleProgress&) = delete;

  void update(const ProgressUpdate& update) override;
  void note(const std::string& line) override;

 private:
  using Clock = std::chrono::steady_clock;

  void clear_bar();

  bool terminal_;
  bool bar_shown_ = false;
  std::string stage_;
  int64_t stage_first_ = 0;  // units done when the stage was first seen: left out of the rate
  Clock::time_point stage_start_;
  Clock::time_point shown_;
};

// "[####----]  450/1118 steps  1290 samples/s  ETA 0:35  loss 0.412"
std::string progress_line(const ProgressUpdate& update, int64_t first, double seconds);

}  // namespace headroom
