#include "engine/aligned_buffer.h"

#include <cstring>
#include <new>

#ifdef HEADROOM_HUGE_PAGES
#include <sys/mman.h>
#endif

namespace headroom {
namespace {

#ifdef HEADROOM_HUGE_PAGES
// A smaller buffer would waste more than half of its page.
constexpr size_t smallest_mapped = huge_page / 2;

// Zeroed by the kernel, and resident only where it is written. Null: out of memory.
std::byte* map_huge_pages(size_t size) {
  void* mapped = ::mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* bytes = static_cast<std::byte*>(mapped);
  const size_t before = (huge_page - reinterpret_cast<uintptr_t>(bytes) % huge_page) % huge_page;
  if (before > 0) ::munmap(bytes, before);
  ::munmap(bytes + before + size, huge_page - before);
  ::madvise(bytes + before, size, MADV_HUGEPAGE);  // a kernel without them gives small pages
  return bytes + before;
}
#endif

}  // namespace

AlignedBuffer::AlignedBuffer(size_t size) : size_(size) {
  if (size == 0) return;
#ifdef HEADROOM_HUGE_PAGES
  if (size >= smallest_mapped) {
    const size_t mapped = (size + huge_page - 1) / huge_page * huge_page;
    bytes_ = {map_huge_pages(mapped), Free(mapped)};
    if (bytes_ == nullptr) throw std::bad_alloc();
    return;
  }
#endif
  bytes_ = {static_cast<std::byte*>(::operator new (size, std::align_val_t{cache_line})), Free(0)};
  std::memset(bytes_.get(), 0, size);
}

void AlignedBuffer::Free::operator()(std::byte* bytes) const {
#ifdef HEADROOM_HUGE_PAGES
  if (mapped_ > 0) {
    ::munmap(bytes, mapped_);
    return;
  }
#endif
  ::operator delete (bytes, std::align_val_t{cache_line});
}

}  // namespace headroom
