// Waiting for input that an interrupt ends.
#include "base/interrupt.h"

#include <gtest/gtest.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>

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

constexpr std::byte untouched{0xa5};
std::array<std::byte, 65536> small_stack;

// Raises a signal on `small_stack`, and returns how many of its bytes were written.
ptrdiff_t stack_taken_by(int signal) {
  small_stack.fill(untouched);
  static ucontext_t test;
  static ucontext_t context;
  static int raised;
  raised = signal;
  getcontext(&context);
  context.uc_stack.ss_sp = small_stack.data();
  context.uc_stack.ss_size = small_stack.size();
  context.uc_link = &test;
  makecontext(
      &context, [] { raise(raised); }, 0);
  swapcontext(&test, &context);
  return small_stack.end() - std::find_if(small_stack.begin(), small_stack.end(),
                                          [](std::byte each) { return each != untouched; });
}

// A matrix product may have the stack pointer in the heap: what lies below it is not ours.
[[noreturn]] void interrupt_on_a_small_stack() {
  watch_for_interrupts();
  constexpr int no_signal = 0;
  const ptrdiff_t without = stack_taken_by(no_signal);
  const ptrdiff_t with = stack_taken_by(SIGTERM);
  constexpr ptrdiff_t least_frame = 512;  // of the kernel: x86's has at least the x87 registers
  _exit(interrupt_requested() && with < without + least_frame ? stopped : 1);
}

TEST(Interrupt, WritesNothingBelowTheStackPointerThatItFinds) {
  EXPECT_EXIT(interrupt_on_a_small_stack(), testing::ExitedWithCode(stopped), "");
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
