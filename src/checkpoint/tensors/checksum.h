// XXH64, the checksum of weight files: against damage and mixed-up files, not against people who
// change both the weights and config.json. Reads 32 bytes in four independent lanes, at the speed
// of memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace headroom {

class Xxh64 {
 public:
  void update(std::span<const std::byte> bytes);
  uint64_t digest() const;  // of everything so far

 private:
  static constexpr size_t stripe = 32;

  static constexpr uint64_t prime1 = 0x9E3779B185EBCA87;
  static constexpr uint64_t prime2 = 0xC2B2AE3D27D4EB4F;
  static constexpr uint64_t prime3 = 0x165667B19E3779F9;
  static constexpr uint64_t prime4 = 0x85EBCA77C2B2AE63;
  static constexpr uint64_t prime5 = 0x27D4EB2F165667C5;

  static uint64_t round(uint64_t lane, uint64_t input);
  void mix(const std::byte* bytes);  // a stripe into the lanes

  std::array<uint64_t, 4> lanes_ = {prime1 + prime2, prime2, 0, 0 - prime1};
  std::array<std::byte, stripe> rest_ = {};  // what has not filled a stripe yet
  uint64_t total_ = 0;
};

}  // namespace headroom
