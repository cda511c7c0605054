// A bump allocator: memory is taken piece by piece and given back at once. A worker's scratch
// memory grows to what the largest call needs and is then reused: after warm-up nothing is
// allocated. A model's weights are in one too, side by side. Not for two threads at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/aligned_buffer.h"

namespace headroom {

class Arena {
 public:
  Arena() = default;
  explicit Arena(size_t smallest_piece) : smallest_piece_(smallest_piece) {}

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

  // `count` elements, aligned to a cache line, valid until reset(). Zeros before the first reset(),
  // any content after it.
  template <typename T>
  T* take(int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    const size_t size =
        (static_cast<size_t>(count) * sizeof(T) + cache_line - 1) / cache_line * cache_line;
    if (pieces_.empty() || pieces_.back().size() - used_ < size) {
      pieces_.emplace_back(std::max(size, smallest_piece_));
      used_ = 0;
    }
    std::byte* taken = pieces_.back().data() + used_;
    used_ += size;
    return reinterpret_cast<T*>(taken);
  }

 private:
  size_t smallest_piece_ = 0;
  std::vector<AlignedBuffer> pieces_;
  size_t used_ = 0;  // of the last piece
};

}  // namespace headroom
