// Relative positions in buckets, as MPNet (and T5, where they come from) has them: near ones have a
// bucket each, far ones share. What a head adds to a score depends on the bucket alone.
#pragma once

#include <cstdint>
#include <vector>

namespace headroom {

// Of a key that lies `distance` tokens before the query; negative: behind it.
int64_t relative_bucket(int64_t distance, int64_t buckets);

// The bucket of every distance from -(tokens - 1) to tokens - 1, in this order.
std::vector<int64_t> relative_buckets(int64_t tokens, int64_t buckets);

}  // namespace headroom
