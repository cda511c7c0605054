// Which test rows a model answered right, as a point stores it: the rows of a test set are a sample
// too, and what another one would change can be told only row by row.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/record/record.h"

namespace headroom::experiments {

// Four rows a hexadecimal digit, the first row its highest bit; the last digit is filled with 0.
std::string pack_rows(const std::vector<bool>& right);

// Throws ErrorCode::bad_data unless `packed` is of so many rows.
std::vector<bool> unpack_rows(const std::string& packed, int64_t rows);

// One point minus another for each test row (1: only the first is right, -1: only the second), as
// means over the seeds that have both. Empty unless every such seed stored its rows.
using PickPoint = std::function<const Point*(const Record&)>;  // null: it has none
std::vector<double> paired_by_row(const Runs& runs, const PickPoint& ours, const PickPoint& theirs);
// Arm `a` at budget `at` minus `b` at `other`.
std::vector<double> paired_by_row(const Runs& runs, const std::string& a, double at,
                                  const std::string& b, double other);

}  // namespace headroom::experiments
