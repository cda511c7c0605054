// Words that were cut into tokens before. Nearly all words of a text are among the few thousand
// that every text has, so that most are looked up here and never reach the model. Bounded: when it
// is full it starts again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

class WordCache {
 public:
  static constexpr size_t max_word = 64;  // bytes; longer ones hardly come twice

  WordCache();

  // The ids of a word, valid until the next add(); nothing for a word that is not here.
  std::optional<std::span<const int32_t>> find(std::string_view word) const;
  void add(std::string_view word, std::span<const int32_t> ids);  // a word that is not here

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t text = 0;    // where it begins in texts_
    uint32_t ids = 0;     // where they begin in ids_
    uint16_t length = 0;  // 0: free
    uint16_t count = 0;
  };

  size_t slot_of(std::string_view word, uint64_t hash) const;

  std::vector<Slot> slots_;
  std::string texts_;
  std::vector<int32_t> ids_;
  size_t used_ = 0;
};

}  // namespace headroom
