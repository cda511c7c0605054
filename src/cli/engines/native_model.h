// What the native verbs share: inputs that cost what texts cost, and what --threads means.
#pragma once

#include <algorithm>
#include <thread>
#include <vector>

#include "budget/bench_cell.h"
#include "headroom/types.h"

namespace headroom {

// What --threads means: 0 is one per core.
inline int thread_count(int wanted) {
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// `batch` inputs of `tokens` random ids each.
inline std::vector<Tokens> random_batch(const ModelShape& shape, int64_t batch, int64_t tokens,
                                        uint64_t seed) {
  const std::vector<int32_t> ids = random_ids(shape.vocabulary, batch * tokens, seed);
  std::vector<Tokens> inputs;
  for (int64_t i = 0; i < batch; ++i) {
    inputs.push_back({{ids.begin() + i * tokens, ids.begin() + (i + 1) * tokens}});
  }
  return inputs;
}

}  // namespace headroom
