// Seeded choices of rows that keep the shares of the classes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace headroom {

struct SplitIndices {
  std::vector<int32_t> train;       // ascending
  std::vector<int32_t> validation;  // ascending
};

// Sets `validation_rows` rows aside, each class giving its share (rounded by largest remainder).
// A function of its arguments alone. Throws ErrorCode::usage unless 1 <= validation_rows < rows.
SplitIndices split_stratified(std::span<const int32_t> labels, int64_t validation_rows,
                              uint64_t seed);

// The same with rows of one group, those of equal keys, on one side: no validation row shares a
// premise with a training row. Whole groups are drawn until `validation_rows` are set aside, or as
// many as fit; the classes' shares are what those groups have.
SplitIndices split_grouped(std::span<const std::string_view> keys, int64_t validation_rows,
                           uint64_t seed);

// `rows` row numbers, ascending, drawn the same way; all of them when there are no more.
std::vector<int32_t> sample_stratified(std::span<const int32_t> labels, int64_t rows,
                                       uint64_t seed);

}  // namespace headroom
