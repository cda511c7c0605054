#include "cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headroom {
namespace {

constexpr int bar_width = 24;
constexpr double terminal_interval = 0.1;  // seconds between redraws
constexpr double plain_interval = 10;      // seconds between lines when nobody watches live

double seconds_between(std::chrono::steady_clock::time_point a,
                       std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

std::string clock_text(double seconds) {
  const int64_t s = std::llround(seconds);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

}  // namespace

std::string progress_line(const ProgressUpdate& update, int64_t first, double seconds) {
  std::string line = fmt::format("{:<9}", update.stage);
  if (update.total > 0) {
    const double share =
        std::clamp(static_cast<double>(update.done) / static_cast<double>(update.total), 0.0, 1.0);
    const int filled = static_cast<int>(share * bar_width);
    line +=
        fmt::format("[{}{}]  {}/{} {}", std::string(filled, '#'),
                    std::string(bar_width - filled, '-'), update.done, update.total, update.unit);
  } else {
    line += fmt::format("{} {}", update.done, update.unit);
  }
  const auto done_here = static_cast<double>(update.done - first);
  if (done_here > 0 && seconds > 0) {
    const double rate = done_here / seconds;
    const std::string& unit = update.scaled_unit.empty() ? update.unit : update.scaled_unit;
    const double shown_rate = rate * update.units_scale;
    line += fmt::format("  {:.{}f} {}/s", shown_rate, shown_rate < 10 ? 1 : 0, unit);
    if (update.total > update.done) {
      line += "  ETA " + clock_text(static_cast<double>(update.total - update.done) / rate);
    }
  }
  if (!update.detail.empty()) line += "  " + update.detail;
  return line;
}

ConsoleProgress::ConsoleProgress() : terminal_(isatty(STDERR_FILENO) == 1) {}

ConsoleProgress::~ConsoleProgress() {
  clear_bar();
}

void ConsoleProgress::clear_bar() {
  if (bar_shown_) fmt::print(stderr, "\r\033[K");
  bar_shown_ = false;
}

void ConsoleProgress::update(const ProgressUpdate& update) {
  const auto now = Clock::now();
  if (update.stage != stage_) {
    stage_ = update.stage;
    stage_first_ = std::max(update.resumed_at, update.done - 1);
    stage_start_ = now;
    shown_ = now;
    return;
  }
  const double interval = terminal_ ? terminal_interval : plain_interval;
  if (seconds_between(shown_, now) < interval) return;
  shown_ = now;
  const std::string line = progress_line(update, stage_first_, seconds_between(stage_start_, now));
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    bar_shown_ = true;
  } else {
    fmt::print(stderr, "{}\n", line);
  }
}

void ConsoleProgress::note(const std::string& line) {
  clear_bar();
  fmt::print(stderr, "{}\n", line);
}

}  // namespace headroom
