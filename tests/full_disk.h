// A full disk without filling one.
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstdint>

namespace headroom::testing {

// While it lives, writes past `bytes` fail the way a full disk does.
class FullDisk {
 public:
  explicit FullDisk(uint64_t bytes) : former_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &former_);
    const rlimit tight = {bytes, former_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tight);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &former_);
    std::signal(SIGXFSZ, former_handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit former_ = {};
  void (*former_handler_)(int);
};

}  // namespace headroom::testing
