#include "checkpoint/tensors/checksum.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace headroom {
namespace {

template <typename Number>
Number load(const std::byte* bytes) {
  static_assert(std::endian::native == std::endian::little);
  Number value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace

uint64_t Xxh64::round(uint64_t lane, uint64_t input) {
  return std::rotl(lane + input * prime2, 31) * prime1;
}

void Xxh64::mix(const std::byte* bytes) {
  for (size_t i = 0; i < 4; ++i) lanes_[i] = round(lanes_[i], load<uint64_t>(bytes + i * 8));
}

void Xxh64::update(std::span<const std::byte> bytes) {
  const size_t held = total_ % stripe;
  total_ += bytes.size();
  if (held > 0 || bytes.size() < stripe) {
    const size_t taken = std::min(stripe - held, bytes.size());
    std::copy_n(bytes.begin(), taken, rest_.begin() + static_cast<ptrdiff_t>(held));
    bytes = bytes.subspan(taken);
    if (held + taken < stripe) return;
    mix(rest_.data());
  }
  for (; bytes.size() >= stripe; bytes = bytes.subspan(stripe)) mix(bytes.data());
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

uint64_t Xxh64::digest() const {
  uint64_t hash = prime5;
  if (total_ >= stripe) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
           std::rotl(lanes_[3], 18);
    for (const uint64_t lane : lanes_) hash = (hash ^ round(0, lane)) * prime1 + prime4;
  }
  hash += total_;
  const std::byte* next = rest_.data();
  const std::byte* end = next + total_ % stripe;
  for (; next + 8 <= end; next += 8) {
    hash = std::rotl(hash ^ round(0, load<uint64_t>(next)), 27) * prime1 + prime4;
  }
  if (next + 4 <= end) {
    hash = std::rotl(hash ^ load<uint32_t>(next) * prime1, 23) * prime2 + prime3;
    next += 4;
  }
  for (; next < end; ++next) {
    hash = std::rotl(hash ^ std::to_integer<uint64_t>(*next) * prime5, 11) * prime1;
  }
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}

}  // namespace headroom
