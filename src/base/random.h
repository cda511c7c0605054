// Random numbers as a function of a key, not of history: Random({seed, stage, step}) gives the same
// stream whenever and wherever it is made. That is what lets a resumed training run repeat the
// uninterrupted one without storing generator states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace headroom {

// One well-mixed 64-bit key from several numbers; order matters.
uint64_t mix_key(std::initializer_list<uint64_t> parts);

// SplitMix64 started at a mixed key. Statistically plenty for sampling and shuffling; not for
// secrets.
class Random {
 public:
  explicit Random(uint64_t key) : state_(key) {}
  Random(std::initializer_list<uint64_t> parts) : state_(mix_key(parts)) {}

  uint64_t next();
  double uniform();                // in [0, 1)
  double normal();                 // mean 0, variance 1
  uint64_t below(uint64_t bound);  // in [0, bound), unbiased; bound >= 1
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  uint64_t state_;
};

}  // namespace headroom
