#include "base/random.h"

#include <cmath>
#include <numbers>

namespace headroom {
namespace {

uint64_t scramble(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

uint64_t mix_key(std::initializer_list<uint64_t> parts) {
  uint64_t key = 0x9e3779b97f4a7c15ULL;
  for (uint64_t part : parts) key = scramble(key + 0x9e3779b97f4a7c15ULL + scramble(part));
  return key;
}

uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15ULL;
  return scramble(state_);
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));  // 1 - uniform is never 0
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

uint64_t Random::below(uint64_t bound) {
  const uint64_t limit = -bound % bound;  // 2^64 mod bound: reject below it to stay unbiased
  uint64_t value = next();
  while (value < limit) value = next();
  return value % bound;
}

}  // namespace headroom
