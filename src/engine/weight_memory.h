// The memory of a model's weights: filled while a checkpoint is packed, or mapped from a file that
// holds what packing left (packed_cache.h). Whoever loads takes the same pieces in the same order
// either way, so one piece of code decides where a weight lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/arena.h"
#include "engine/packed_file.h"

namespace headroom {

class WeightMemory {
 public:
  // To be filled.
  WeightMemory() = default;
  // What was filled once.
  explicit WeightMemory(PackedFile file) : file_(std::move(file)) {}

  // Nothing has to be read or packed.
  bool is_packed() const { return file_.has_value(); }

  // `count` elements, aligned to a cache line: fill(memory) writes them over zeros, unless they are
  // in the file. Throws ErrorCode::bad_model when the file ends before them.
  template <typename T, typename Fill>
  const T* take(int64_t count, const Fill& fill) {
    static_assert(std::is_trivially_copyable_v<T>);
    const size_t size =
        (static_cast<size_t>(count) * sizeof(T) + cache_line - 1) / cache_line * cache_line;
    if (file_) {
      const std::span<const std::byte> content = file_->content();
      if (content.size() - used_ < size) file_->fail("ends before the last weight");
      const std::byte* taken = content.data() + used_;
      used_ += size;
      return reinterpret_cast<const T*>(taken);
    }
    T* taken = arena_.take<T>(count);
    fill(taken);
    pieces_.emplace_back(reinterpret_cast<const std::byte*>(taken), size);
    return taken;
  }

  // After the last take(). Throws ErrorCode::bad_model when the file holds more.
  void require_end() const {
    if (file_ && used_ != file_->content().size()) file_->fail("goes on behind the last weight");
  }

  // What was filled, in order: the content of a file for others to map.
  std::span<const std::span<const std::byte>> pieces() const { return pieces_; }

 private:
  // Side by side in large pages: a forward pass in fp32 takes 2 to 3 % less than with a piece of
  // the heap for each matrix, more where something else has emptied the caches. What is not written
  // takes no memory.
  Arena arena_{8 * huge_page};
  std::vector<std::span<const std::byte>> pieces_;
  std::optional<PackedFile> file_;
  size_t used_ = 0;  // of the file
};

}  // namespace headroom
