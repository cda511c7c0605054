#include "data/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/random.h"

namespace headroom {
namespace {

// How many of `rows` each class gives: its exact share rounded down, and the rows still missing
// from the classes with the largest remainders (equal ones: the lower label first).
std::vector<int64_t> share_out(const std::vector<int64_t>& sizes, int64_t rows) {
  const int64_t total = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  std::vector<int64_t> shares;
  std::vector<int64_t> remainders;
  for (const int64_t size : sizes) {
    shares.push_back(size * rows / total);
    remainders.push_back(size * rows % total);
  }
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return remainders[a] > remainders[b]; });
  int64_t missing = rows - std::accumulate(shares.begin(), shares.end(), int64_t{0});
  for (size_t i = 0; missing > 0; ++i, --missing) ++shares[order[i]];
  return shares;
}

void require_both_parts(int64_t validation_rows, size_t rows) {
  if (validation_rows >= 1 && static_cast<size_t>(validation_rows) < rows) return;
  throw Error(ErrorCode::usage, "split off validation rows",
              fmt::format("{} of {} rows were asked for; at least one must be in each part",
                          validation_rows, rows));
}

// `validation`, ascending, and the others of `rows`.
SplitIndices split_off(std::vector<int32_t> validation, size_t rows) {
  SplitIndices split;
  split.validation = std::move(validation);
  split.train.reserve(rows - split.validation.size());
  auto taken = split.validation.begin();
  for (int32_t row = 0; row < static_cast<int32_t>(rows); ++row) {
    if (taken != split.validation.end() && *taken == row) {
      ++taken;
    } else {
      split.train.push_back(row);
    }
  }
  return split;
}

}  // namespace

std::vector<int32_t> sample_stratified(std::span<const int32_t> labels, int64_t rows,
                                       uint64_t seed) {
  if (rows < 1) {
    throw Error(ErrorCode::usage, "sample rows", fmt::format("{} rows were asked for", rows));
  }
  std::map<int32_t, std::vector<int32_t>> members;
  for (size_t i = 0; i < labels.size(); ++i) {
    members[labels[i]].push_back(static_cast<int32_t>(i));
  }
  std::vector<int64_t> sizes;
  sizes.reserve(members.size());
  for (const auto& [label, rows_of_label] : members) {
    sizes.push_back(static_cast<int64_t>(rows_of_label.size()));
  }
  std::vector<int32_t> chosen;
  if (labels.empty()) return chosen;
  const std::vector<int64_t> shares =
      share_out(sizes, std::min(rows, static_cast<int64_t>(labels.size())));
  size_t rank = 0;
  for (auto& [label, rows_of_label] : members) {
    Random random{seed, static_cast<uint64_t>(label)};
    random.shuffle(rows_of_label);
    chosen.insert(chosen.end(), rows_of_label.begin(), rows_of_label.begin() + shares[rank++]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

SplitIndices split_stratified(std::span<const int32_t> labels, int64_t validation_rows,
                              uint64_t seed) {
  require_both_parts(validation_rows, labels.size());
  return split_off(sample_stratified(labels, validation_rows, seed), labels.size());
}

SplitIndices split_grouped(std::span<const std::string_view> keys, int64_t validation_rows,
                           uint64_t seed) {
  require_both_parts(validation_rows, keys.size());
  std::map<std::string_view, std::vector<int32_t>> members;
  for (size_t i = 0; i < keys.size(); ++i) members[keys[i]].push_back(static_cast<int32_t>(i));
  std::vector<const std::vector<int32_t>*> groups;
  for (const auto& [key, rows] : members) groups.push_back(&rows);
  Random random{seed, 0x67726f757073};
  random.shuffle(groups);
  std::vector<int32_t> validation;
  for (const std::vector<int32_t>* rows : groups) {
    if (validation.size() + rows->size() > static_cast<size_t>(validation_rows)) continue;
    validation.insert(validation.end(), rows->begin(), rows->end());
  }
  if (validation.empty()) {
    throw Error(ErrorCode::usage, "split off validation rows",
                fmt::format("each of {} first texts has more than {} rows, which stay together: "
                            "set more rows aside",
                            groups.size(), validation_rows));
  }
  std::sort(validation.begin(), validation.end());
  return split_off(std::move(validation), keys.size());
}

}  // namespace headroom
