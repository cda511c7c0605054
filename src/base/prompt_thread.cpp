#include "base/prompt_thread.h"

#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace headroom {
namespace {

void ask_for_slices(unsigned long long nanoseconds) {
  constexpr int this_thread = 0;
  sched_attr attributes{};
  if (syscall(SYS_sched_getattr, this_thread, &attributes, sizeof(attributes), 0) != 0) return;
  attributes.sched_runtime = nanoseconds;
  attributes.sched_flags |= SCHED_FLAG_RESET_ON_FORK;  // threads that this one starts may differ
  // Where it fails, threads wake up as others do.
  static_cast<void>(syscall(SYS_sched_setattr, this_thread, &attributes, 0));
}

}  // namespace

void wake_promptly() {
  ask_for_slices(100'000);  // the least that Linux takes
}

void compute_patiently() {
  ask_for_slices(5'000'000);
}

}  // namespace headroom
