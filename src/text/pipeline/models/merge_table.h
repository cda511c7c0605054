// Which two tokens byte pair encoding merges, how early, and into which. An open-addressing table:
// a look-up is one multiplication and, nearly always, one cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headroom {

class MergeTable {
 public:
  struct Merge {
    uint32_t rank = UINT32_MAX;  // the lowest goes first; UINT32_MAX: these two never merge
    int32_t id = -1;             // what they become
  };

  explicit MergeTable(size_t merges) {
    size_t slots = 16;
    while (slots < 2 * merges) slots *= 2;
    slots_.resize(slots);
  }

  // Of the same pair the last one given holds.
  void set(int32_t left, int32_t right, Merge merge) {
    Slot& slot = slots_[index_of(key_of(left, right))];
    slot = {key_of(left, right), merge};
  }

  Merge find(int32_t left, int32_t right) const {
    return slots_[index_of(key_of(left, right))].merge;
  }

 private:
  struct Slot {
    uint64_t key = UINT64_MAX;
    Merge merge;
  };

  static uint64_t key_of(int32_t left, int32_t right) {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32U | static_cast<uint32_t>(right);
  }

  // The key's slot, or the free one where it would go.
  size_t index_of(uint64_t key) const {
    size_t index = (key * 0x9E3779B97F4A7C15U >> 20U) & (slots_.size() - 1);
    while (slots_[index].key != key && slots_[index].key != UINT64_MAX) {
      index = (index + 1) & (slots_.size() - 1);
    }
    return index;
  }

  std::vector<Slot> slots_;
};

}  // namespace headroom
