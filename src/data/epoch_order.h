// The batches of one epoch: shuffled, yet each of similar lengths so that little is padded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headroom {

// Rows are permuted, then sorted by length inside windows of 32 batches (long enough to make
// lengths similar, short enough to leave the mixture of rows random), cut into batches, and the
// batches shuffled. Every row appears exactly once; one batch may be smaller. A function of its
// arguments alone, so that a resumed run finds its place again.
std::vector<std::vector<int32_t>> epoch_batches(std::span<const int32_t> lengths, int batch_size,
                                                uint64_t seed, int64_t epoch);

}  // namespace headroom
