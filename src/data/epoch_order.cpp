#include "data/epoch_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "base/error.h"
#include "base/random.h"

namespace headroom {
namespace {

constexpr size_t window_batches = 32;

}  // namespace

std::vector<std::vector<int32_t>> epoch_batches(std::span<const int32_t> lengths, int batch_size,
                                                uint64_t seed, int64_t epoch) {
  if (batch_size < 1) {
    throw Error(ErrorCode::usage, "order an epoch",
                fmt::format("a batch of {} rows was asked for", batch_size));
  }
  Random random{seed, static_cast<uint64_t>(epoch)};
  std::vector<int32_t> rows(lengths.size());
  std::iota(rows.begin(), rows.end(), 0);
  random.shuffle(rows);

  const auto size = static_cast<size_t>(batch_size);
  const auto at = [&](size_t index) {
    return rows.begin() + static_cast<std::ptrdiff_t>(std::min(index, rows.size()));
  };
  std::vector<std::vector<int32_t>> batches;
  for (size_t start = 0; start < rows.size(); start += size * window_batches) {
    // Stable: rows of equal length stay in the shuffled order.
    std::stable_sort(at(start), at(start + size * window_batches), [&](int32_t a, int32_t b) {
      return lengths[static_cast<size_t>(a)] < lengths[static_cast<size_t>(b)];
    });
  }
  for (size_t start = 0; start < rows.size(); start += size) {
    batches.emplace_back(at(start), at(start + size));
  }
  random.shuffle(batches);
  return batches;
}

}  // namespace headroom
