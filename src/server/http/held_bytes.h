// How many bytes of bodies the server holds at one time, from their announcement to their answer.
// One thread counts.
#pragma once

#include <cstddef>

namespace headroom {

class HeldBytes {
 public:
  explicit HeldBytes(size_t limit) : limit_(limit) {}

  // False, and nothing is taken, when they do not fit.
  bool take(size_t bytes) {
    if (bytes > limit_ - held_) return false;
    held_ += bytes;
    return true;
  }
  void give_back(size_t bytes) { held_ -= bytes; }

 private:
  size_t limit_;
  size_t held_ = 0;
};

}  // namespace headroom
