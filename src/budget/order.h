// When each head comes alive. A budget is a prefix of this order, so a smaller budget's heads are
// always among a larger one's.
#pragma once

#include <cstdint>
#include <vector>

namespace headroom {

struct HeadUnit {
  int32_t layer = 0;
  int32_t head = 0;
  bool operator==(const HeadUnit&) const = default;
};

struct HeadOrder {
  int64_t layers = 0;
  int64_t heads = 0;
  std::vector<HeadUnit> units;  // every head once; the first L are one of each layer

  bool operator==(const HeadOrder&) const = default;
};

// The indices of `scores`, highest first. Ties go to the earlier index.
std::vector<int64_t> argsort_descending(const std::vector<double>& scores);

// Ranks the L x H `scores` (row-major): first the best head of each layer, best first, so that no
// layer is ever without one; then all others, best first. Ties go to the earlier layer and head.
HeadOrder order_by_score(const std::vector<double>& scores, int64_t layers, int64_t heads);

// A seeded random order with the same guarantee: the control that any ranking must beat.
HeadOrder random_order(int64_t layers, int64_t heads, uint64_t seed);

// Throws ErrorCode::bad_model unless every head appears once and the first L cover all layers.
void check_order(const HeadOrder& order);

}  // namespace headroom
