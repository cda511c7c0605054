// A piece of GPU work recorded once and started as a whole. A small model's forward pass is about a
// hundred kernels of a few microseconds; starting them one by one takes longer than running them,
// and then a smaller model is no faster.
#pragma once

#include <functional>

namespace headroom {
inline namespace train {

// Records `work`, which must use the same memory every time, and returns what replays it. Throws
// ErrorCode::usage in a build without CUDA.
std::function<void()> recorded(const std::function<void()>& work);

}  // namespace train
}  // namespace headroom
