// Scratch memory of one worker. It grows to what the largest call needs and is then reused: after
// warm-up nothing is allocated. Not for two threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/aligned_buffer.h"

namespace headroom {

class Arena {
 public:
  // Gives everything back. What was taken in several pieces will come from one from now on.
  void reset() {
    if (pieces_.size() > 1) {
      size_t total = 0;
      for (const AlignedBuffer& piece : pieces_) total += piece.size();
      pieces_.clear();
      pieces_.emplace_back(total);
    }
    used_ = 0;
  }

  // `count` numbers, aligned to a cache line, with any content; valid until reset().
  template <typename T>
  T* take(int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    const size_t size =
        (static_cast<size_t>(count) * sizeof(T) + cache_line - 1) / cache_line * cache_line;
    if (pieces_.empty() || pieces_.back().size() - used_ < size) {
      pieces_.emplace_back(size);
      used_ = 0;
    }
    std::byte* place = pieces_.back().data() + used_;
    used_ += size;
    return reinterpret_cast<T*>(place);
  }

 private:
  std::vector<AlignedBuffer> pieces_;
  size_t used_ = 0;  // of the last piece
};

}  // namespace headroom
