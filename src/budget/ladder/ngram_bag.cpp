#include "budget/ladder/ngram_bag.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"

namespace headroom {
namespace {

// Multiplicative hashing: the upper bits of a product with a large odd number are well mixed.
constexpr uint64_t multiplier = 0x9E3779B97F4A7C15;

uint64_t extend(uint64_t hash, int32_t id) {
  return (hash ^ static_cast<uint64_t>(static_cast<uint32_t>(id))) * multiplier;
}

}  // namespace

void NgramTable::find_rows(std::span<const int32_t> ids, std::span<const int32_t> types,
                           std::vector<uint32_t>& rows) const {
  rows.clear();
  const int shift = 64 - std::countr_zero(static_cast<uint64_t>(buckets));
  const auto bucket = [&](uint64_t hash) {
    const uint64_t index = buckets == 1 ? 0 : hash >> shift;
    rows.push_back(static_cast<uint32_t>(static_cast<uint64_t>(vocabulary) + index));
  };
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= vocabulary) {
      throw Error(ErrorCode::usage, "classify",
                  fmt::format("token {} is not in the vocabulary of {}", ids[i], vocabulary));
    }
    const bool second = !types.empty() && types[i] != 0;
    uint64_t hash = extend(second ? 1 : 0, ids[i]);
    if (second) {
      bucket(hash);
    } else {
      rows.push_back(static_cast<uint32_t>(ids[i]));
    }
    for (size_t n = 1; n < static_cast<size_t>(orders) && n <= i; ++n) {
      hash = extend(hash, ids[i - n]);
      bucket(hash);
    }
  }
}

std::vector<double> NgramBag::scores(std::span<const int32_t> ids,
                                     std::span<const int32_t> types) const {
  std::vector<uint32_t> rows;
  rows.reserve(ids.size() * static_cast<size_t>(table.orders));
  table.find_rows(ids, types, rows);
  const auto labels = static_cast<size_t>(table.labels);
  std::vector<float> sums(labels);
  for (const uint32_t row : rows) {
    const int8_t* bytes = &weights[row * labels];
    const float scale = scales[row];
    for (size_t i = 0; i < labels; ++i) sums[i] += scale * static_cast<float>(bytes[i]);
  }
  const double divisor = std::sqrt(static_cast<double>(std::max<size_t>(rows.size(), 1)));
  const double largest = *std::max_element(sums.begin(), sums.end());
  std::vector<double> scores(labels);
  double total = 0;
  for (size_t i = 0; i < labels; ++i) {
    scores[i] = std::exp((sums[i] - largest) / divisor);
    total += scores[i];
  }
  for (double& score : scores) score /= total;
  return scores;
}

double NgramBag::macs(int64_t tokens) const {
  return static_cast<double>(tokens * table.orders * table.labels);
}

void check(const NgramBag& bag) {
  const auto fail = [](const std::string& message) {
    throw Error(ErrorCode::bad_model, "read rung_zero.safetensors", message);
  };
  constexpr int64_t most_rows = int64_t{1} << 26;
  const NgramTable& table = bag.table;
  if (table.vocabulary < 1 || table.buckets < 1 || table.rows() > most_rows ||
      !std::has_single_bit(static_cast<uint64_t>(table.buckets))) {
    fail(fmt::format("{} tokens and {} buckets; expected at least 1 and a power of two",
                     table.vocabulary, table.buckets));
  }
  if (table.orders < 1 || table.orders > 3) {
    fail(fmt::format("n-grams of {} tokens, expected 1 to 3", table.orders));
  }
  const auto rows = static_cast<size_t>(table.rows());
  if (table.labels < 1 || bag.scales.size() != rows ||
      bag.weights.size() != rows * static_cast<size_t>(table.labels)) {
    fail(fmt::format("{} weights and {} scales for {} rows of {} labels", bag.weights.size(),
                     bag.scales.size(), rows, table.labels));
  }
  constexpr float most = 1e6F;  // sums of any text stay finite
  if (!std::all_of(bag.scales.begin(), bag.scales.end(),
                   [](float x) { return x >= 0 && x <= most; })) {
    fail("a scale is not a number from 0 to a million");
  }
}

}  // namespace headroom
