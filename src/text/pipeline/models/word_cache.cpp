#include "text/pipeline/models/word_cache.h"

#include <algorithm>
#include <cstring>

namespace headroom {
namespace {

constexpr size_t slots = 1U << 16U;
constexpr size_t most_words = slots / 2;

uint64_t mixed(uint64_t a, uint64_t b) {
  const auto product =
      static_cast<unsigned __int128>(a ^ 0x9E3779B97F4A7C15U) * (b ^ 0xD6E8FEB86659FD93U);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64U);
}

uint64_t hash_of(std::string_view word) {
  uint64_t hash = word.size();
  for (; word.size() >= 8; word.remove_prefix(8)) {
    uint64_t part = 0;
    std::memcpy(&part, word.data(), 8);
    hash = mixed(hash, part);
  }
  uint64_t rest = 0;
  std::memcpy(&rest, word.data(), word.size());
  return mixed(hash, rest);
}

}  // namespace

WordCache::WordCache() : slots_(slots) {}

// Its slot, or the free one where it would go.
size_t WordCache::slot_of(std::string_view word, uint64_t hash) const {
  size_t index = hash & (slots - 1);
  while (slots_[index].length > 0) {
    const Slot& slot = slots_[index];
    if (slot.hash == hash && slot.length == word.size() &&
        std::memcmp(texts_.data() + slot.text, word.data(), word.size()) == 0) {
      break;
    }
    index = (index + 1) & (slots - 1);
  }
  return index;
}

std::optional<std::span<const int32_t>> WordCache::find(std::string_view word) const {
  if (word.empty() || word.size() > max_word) return std::nullopt;
  const Slot& slot = slots_[slot_of(word, hash_of(word))];
  if (slot.length == 0) return std::nullopt;
  return std::span(ids_).subspan(slot.ids, slot.count);
}

void WordCache::add(std::string_view word, std::span<const int32_t> ids) {
  if (word.empty() || word.size() > max_word || ids.size() > UINT16_MAX) return;
  if (used_ == most_words) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    texts_.clear();
    ids_.clear();
    used_ = 0;
  }
  const uint64_t hash = hash_of(word);
  slots_[slot_of(word, hash)] = {
      hash, static_cast<uint32_t>(texts_.size()), static_cast<uint32_t>(ids_.size()),
      static_cast<uint16_t>(word.size()), static_cast<uint16_t>(ids.size())};
  texts_ += word;
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  ++used_;
}

}  // namespace headroom
