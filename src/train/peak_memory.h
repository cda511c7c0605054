// How much memory a piece of work needs at its peak, as torch's allocators tell it.
#pragma once

#include <cstdint>
#include <functional>

namespace headroom {
inline namespace train {

// Bytes of tensors alive at once during `work`, beyond those alive before it. Counts what this
// thread allocates.
int64_t peak_bytes(const std::function<void()>& work);

}  // namespace train
}  // namespace headroom
