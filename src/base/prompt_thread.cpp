#include "base/prompt_thread.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace headroom {
namespace {

// The kernel's struct sched_attr. Its header cannot stand beside glibc's <sched.h>, newer
// versions of which define it themselves.
struct SchedulingAttributes {
  uint32_t size = 0;
  uint32_t policy = 0;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0;  // nanoseconds; of ordinary threads the slice they ask for
  uint64_t deadline = 0;
  uint64_t period = 0;
  uint32_t least_utilisation = 0;
  uint32_t most_utilisation = 0;
};
constexpr uint64_t reset_on_fork = 1;  // SCHED_FLAG_RESET_ON_FORK

void ask_for_slices(uint64_t nanoseconds) {
  constexpr int this_thread = 0;
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, this_thread, &attributes, sizeof(attributes), 0) != 0) return;
  attributes.runtime = nanoseconds;
  attributes.flags |= reset_on_fork;  // threads that this one starts may differ
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
