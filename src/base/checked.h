// Size arithmetic that refuses to wrap around. Every size read from a file passes through here.
#pragma once

#include <concepts>
#include <limits>
#include <optional>

namespace headroom {

template <std::unsigned_integral T>
constexpr std::optional<T> checked_add(T a, T b) {
  if (a > std::numeric_limits<T>::max() - b) return std::nullopt;
  return static_cast<T>(a + b);
}

template <std::unsigned_integral T>
constexpr std::optional<T> checked_mul(T a, T b) {
  if (b != 0 && a > std::numeric_limits<T>::max() / b) return std::nullopt;
  return static_cast<T>(a * b);
}

}  // namespace headroom
