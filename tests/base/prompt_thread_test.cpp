// What a thread asks of Linux' scheduler.
#include "base/prompt_thread.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

namespace headroom {
namespace {

// struct sched_attr as the first Linux had it: its own header clashes with <sched.h>.
struct Attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

uint64_t slice_of_this_thread() {
  Attributes attributes{};
  EXPECT_EQ(syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0), 0);
  return attributes.runtime;
}

TEST(PromptThread, AsksForAShortSliceForItselfAlone) {
  const uint64_t usual = slice_of_this_thread();
  uint64_t prompt = 0;
  uint64_t started_by_it = 0;
  std::thread([&] {
    wake_promptly();
    prompt = slice_of_this_thread();
    std::thread([&] { started_by_it = slice_of_this_thread(); }).join();
  }).join();
  if (usual == 0) GTEST_SKIP() << "this Linux is older than 6.12";
  EXPECT_LT(prompt, usual);
  EXPECT_EQ(started_by_it, usual) << "a thread that computes may be started from it";
  EXPECT_EQ(slice_of_this_thread(), usual);
}

}  // namespace
}  // namespace headroom
