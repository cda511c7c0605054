// Waiting for input that an interrupt ends.
#include "base/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace headroom {
namespace {

constexpr int stopped = 3;
constexpr int readable = 4;

// In a process of its own: the flag is never taken back. An alarm ends it where nothing else does.
[[noreturn]] void wait_after_interrupt(bool with_input) {
  int ends[2];
  if (pipe(ends) != 0 || (with_input && write(ends[1], "x", 1) != 1)) _exit(1);
  watch_for_interrupts();
  raise(SIGTERM);
  alarm(20);
  _exit(wait_for_input(ends[0]) ? readable : stopped);
}

TEST(Interrupt, ASignalThatCameBeforeTheWaitEndsIt) {
  EXPECT_EXIT(wait_after_interrupt(false), testing::ExitedWithCode(stopped), "");
}

TEST(Interrupt, WhatHasArrivedIsReadFirst) {
  EXPECT_EXIT(wait_after_interrupt(true), testing::ExitedWithCode(readable), "");
}

TEST(Interrupt, WithoutOneTheEndOfInputEndsTheWait) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[1]);
  EXPECT_TRUE(wait_for_input(ends[0]));
  close(ends[0]);
}

}  // namespace
}  // namespace headroom
