// A progress sink that stops a training in the middle of it.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/progress.h"

namespace headroom::testing {

enum class Plug { pulled, terminated };

// At the n-th step, throws as a crash would or sends the signal that asks a program to end.
class StopAtStep : public ProgressSink {
 public:
  StopAtStep(int64_t step, Plug plug) : left_(step), plug_(plug) {}
  void update(const ProgressUpdate& /*update*/) override {
    if (--left_ != 0) return;
    if (plug_ == Plug::terminated) {
      std::raise(SIGTERM);
      return;
    }
    throw Error(ErrorCode::interrupted, "test", "pulled the plug");
  }
  void note(const std::string& /*line*/) override {}

 private:
  int64_t left_;
  Plug plug_;
};

}  // namespace headroom::testing
