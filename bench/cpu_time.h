// What a thread has computed: the time that work costs whatever else the machine does meanwhile.
#pragma once

#include <ctime>

namespace headroom {

inline double thread_cpu_ms() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

}  // namespace headroom
