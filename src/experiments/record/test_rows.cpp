#include "experiments/record/test_rows.h"

#include <fmt/format.h>

#include "base/error.h"
#include "experiments/record/runs.h"

namespace headroom::experiments {
namespace {

constexpr std::string_view digits = "0123456789abcdef";
constexpr size_t rows_a_digit = 4;

}  // namespace

std::string pack_rows(const std::vector<bool>& right) {
  std::string packed;
  for (size_t first = 0; first < right.size(); first += rows_a_digit) {
    size_t digit = 0;
    for (size_t row = first; row < first + rows_a_digit; ++row) {
      digit = 2 * digit + (row < right.size() && right[row] ? 1 : 0);
    }
    packed.push_back(digits[digit]);
  }
  return packed;
}

std::vector<bool> unpack_rows(const std::string& packed, int64_t rows) {
  const auto count = static_cast<size_t>(rows);
  if (packed.size() != (count + rows_a_digit - 1) / rows_a_digit ||
      packed.find_first_not_of(digits) != std::string::npos) {
    throw Error(ErrorCode::bad_data, "read run",
                fmt::format("correct has {} characters, expected a hexadecimal digit for every "
                            "four of {} test rows",
                            packed.size(), rows));
  }
  std::vector<bool> right(count);
  for (size_t row = 0; row < count; ++row) {
    const size_t digit = digits.find(packed[row / rows_a_digit]);
    right[row] = ((digit >> (rows_a_digit - 1 - row % rows_a_digit)) & 1) != 0;
  }
  return right;
}

std::vector<double> paired_by_row(const Runs& runs, const PickPoint& ours,
                                  const PickPoint& theirs) {
  std::vector<double> sums;
  double seeds = 0;
  for (const Record& run : runs) {
    const Point* first = ours(run);
    const Point* second = theirs(run);
    if (first == nullptr || second == nullptr) continue;
    if (first->correct.empty() || second->correct.empty()) return {};
    const int64_t rows = rows_of(run).test;
    const std::vector<bool> a = unpack_rows(first->correct, rows);
    const std::vector<bool> b = unpack_rows(second->correct, rows);
    if (sums.empty()) sums.resize(a.size());
    if (sums.size() != a.size()) return {};  // other test sets
    for (size_t row = 0; row < sums.size(); ++row) {
      sums[row] += (a[row] ? 1.0 : 0.0) - (b[row] ? 1.0 : 0.0);
    }
    ++seeds;
  }
  for (double& sum : sums) sum /= seeds;
  return sums;
}

std::vector<double> paired_by_row(const Runs& runs, const std::string& a, double at,
                                  const std::string& b, double other) {
  return paired_by_row(
      runs, [&](const Record& run) { return find_point(run, a, at); },
      [&](const Record& run) { return find_point(run, b, other); });
}

}  // namespace headroom::experiments
