// A progress sink that stops a training in the middle of it, and trainings stopped by one.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "support.h"

namespace headroom::testing {

enum class Plug { pulled, terminated };

// At the n-th sign of life, throws as a crash would or sends the signal that asks a program to end.
class StopAt : public ProgressSink {
 public:
  static StopAt step(int64_t nth, Plug plug = Plug::pulled) { return {nth, never, plug}; }
  // The end of a stage is told in a sentence.
  static StopAt stage_end(int64_t nth) { return {never, nth, Plug::pulled}; }

  void update(const ProgressUpdate& /*update*/) override { count_down(steps_); }
  void note(const std::string& /*line*/) override { count_down(notes_); }

 private:
  static constexpr int64_t never = INT64_MAX;

  StopAt(int64_t steps, int64_t notes, Plug plug) : steps_(steps), notes_(notes), plug_(plug) {}

  void count_down(int64_t& left) const {
    if (--left != 0) return;
    if (plug_ == Plug::terminated) {
      std::raise(SIGTERM);
      return;
    }
    throw Error(ErrorCode::interrupted, "test", "pulled the plug");
  }

  int64_t steps_;
  int64_t notes_;
  Plug plug_;
};

// Runs `train` with a sink that pulls the plug, and expects that it does.
template <typename Training>
void expect_stopped(StopAt stop, Training train) {
  expect_error(ErrorCode::interrupted, "pulled the plug", [&] { train(stop); });
}

// Runs `train` as the program does and asks it to end at the n-th step; leaves with its exit code.
template <typename Training>
[[noreturn]] void exit_when_terminated(int64_t step, Training train) {
  watch_for_interrupts();
  StopAt stop = StopAt::step(step, Plug::terminated);
  try {
    train(stop);
  } catch (const Error& error) {
    ::_exit(exit_code(error.code()));
  }
  ::_exit(0);
}

}  // namespace headroom::testing
