// A process that the system gives few threads: to test what happens when one cannot start.
#pragma once

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace headroom::testing {

// Stacks of 1 GiB in 2.5 GiB more of address space than is taken: two threads start, a third does
// not.
class FewThreads {
 public:
  FewThreads() {
    constexpr size_t stack = size_t{1} << 30;
    pthread_getattr_default_np(&attributes_);
    pthread_attr_t large = attributes_;
    pthread_attr_setstacksize(&large, stack);
    pthread_setattr_default_np(&large);
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &limit_);
    const auto taken = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const rlimit tight = {taken + stack / 2 * 5, limit_.rlim_max};
    setrlimit(RLIMIT_AS, &tight);
  }
  ~FewThreads() {
    setrlimit(RLIMIT_AS, &limit_);
    pthread_setattr_default_np(&attributes_);
  }
  FewThreads(const FewThreads&) = delete;
  FewThreads& operator=(const FewThreads&) = delete;

 private:
  pthread_attr_t attributes_{};
  rlimit limit_{};
};

}  // namespace headroom::testing
