// Memory for packed weights and activations: starts at a cache line, zeroed, moved but not copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace headroom {

inline constexpr size_t cache_line = 64;

class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t size)
      : size_(size), bytes_(static_cast<std::byte*>(allocate(size))) {
    if (size > 0) std::memset(bytes_.get(), 0, size);
  }

  size_t size() const { return size_; }
  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }

 private:
  struct Free {
    void operator()(std::byte* bytes) const {
      ::operator delete (bytes, std::align_val_t{cache_line});
    }
  };
  static void* allocate(size_t size) {
    return size > 0 ? ::operator new (size, std::align_val_t{cache_line}) : nullptr;
  }

  size_t size_ = 0;
  std::unique_ptr<std::byte, Free> bytes_;
};

}  // namespace headroom
