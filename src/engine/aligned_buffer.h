// Memory for packed weights and activations: aligned to a cache line, zeroed, move-only.
// Large buffers ask the kernel for pages of 2 MB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace headroom {

inline constexpr size_t cache_line = 64;

// Not with AddressSanitizer, which sees a step over the end of heap memory only.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define HEADROOM_HUGE_PAGES 1
inline constexpr size_t huge_page = size_t{2} << 20;
#else
inline constexpr size_t huge_page = 0;  // none
#endif

class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t size);

  size_t size() const { return size_; }
  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }

 private:
  // Memory from the heap, or `mapped` bytes that the kernel gave.
  class Free {
   public:
    explicit Free(size_t mapped) : mapped_(mapped) {}
    void operator()(std::byte* bytes) const;

   private:
    size_t mapped_;
  };

  size_t size_ = 0;
  std::unique_ptr<std::byte, Free> bytes_{nullptr, Free(0)};
};

}  // namespace headroom
