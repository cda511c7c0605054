// Byte pair encoding: a word's characters, of which the pair that was merged earliest in training
// is merged first, until no pair is left. Short words look for it by walking over all pairs; long
// ones keep pairs in a heap, so that a word of a million letters takes a second and not a day.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "text/pipeline/models/merge_table.h"
#include "text/pipeline/parts.h"
#include "text/pipeline/token_model.h"

namespace headroom {
namespace {

constexpr size_t longest_walk = 48;  // symbols; measured: the heap is faster from about here

struct Symbol {
  int32_t id = 0;
  uint32_t bytes = 0;
};

class Bpe : public TokenModel {
 public:
  Bpe(const JsonFields& fields, const ModelJson& json)
      : TokenModel(TokenTable(json.vocabulary)),
        prefix_(fields.text_or("continuing_subword_prefix", "")),
        suffix_(fields.text_or("end_of_word_suffix", "")),
        fuse_unknown_(fields.boolean_or("fuse_unk", false)),
        whole_words_(fields.boolean_or("ignore_merges", false)),
        merges_(json.merges.is_array() ? json.merges.size() : 0) {
    if (fields.number_or("dropout", 0, 0, 1) > 0) {
      fields.fail("dropout", "is set: it belongs to training, set it to null for inference");
    }
    const std::string unknown = fields.text_or("unk_token", "");
    // A token that is not there matters only when a character is unknown.
    if (!unknown.empty()) unknown_ = table().find(unknown);
    if (fields.boolean_or("byte_fallback", false)) {
      for (int byte = 0; byte < 256; ++byte) {
        byte_ids_.push_back(table().find(fmt::format("<0x{:02X}>", byte)).value_or(-1));
      }
    }
    read_merges(json.merges);
    if (prefix_.empty()) {
      for (char32_t c = 0; c < first_ids_.size(); ++c) {
        std::string character;
        append_utf8(character, c);
        first_ids_[c] = table().find(character).value_or(-1);
      }
    }
  }

  void cut(std::string_view word, std::vector<WordToken>& tokens) const override {
    if (whole_words_) {
      if (const auto id = table().find(word)) {
        tokens.push_back({*id, {0, static_cast<uint32_t>(word.size())}});
        return;
      }
    }
    std::vector<Symbol> symbols = symbols_of(word);
    if (symbols.size() <= longest_walk) {
      merge_walking(symbols);
    } else {
      merge_by_heap(symbols);
    }
    uint32_t begin = 0;
    for (const Symbol& symbol : symbols) {
      tokens.push_back({symbol.id, {begin, begin + symbol.bytes}});
      begin += symbol.bytes;
    }
  }

  std::optional<int32_t> unknown() const override { return unknown_; }

 private:
  // "a b" or ["a", "b"].
  void read_merges(const SortedJson& merges) {
    if (merges.is_null()) return;
    if (!merges.is_array()) refuse_tokenizer_json("model.merges is not a list");
    uint32_t rank = 0;
    for (const SortedJson& merge : merges) {
      std::string left;
      std::string right;
      if (merge.is_string()) {
        const std::string& text = merge.get_ref<const std::string&>();
        if (text.starts_with("#version")) continue;
        const size_t space = text.find(' ');
        if (space != std::string::npos && text.find(' ', space + 1) == std::string::npos) {
          left = text.substr(0, space);
          right = text.substr(space + 1);
        }
      } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
                 merge[1].is_string()) {
        left = merge[0].get<std::string>();
        right = merge[1].get<std::string>();
      }
      if (left.empty() || right.empty()) {
        refuse_tokenizer_json(
            fmt::format("entry {} of model.merges is {}, expected two tokens", rank, shown(merge)));
      }
      const int32_t left_id = table().require(left, "the merged token");
      const int32_t right_id = table().require(right, "the merged token");
      const std::string_view behind =
          std::string_view(right).substr(std::min(prefix_.size(), right.size()));
      const int32_t merged = table().require(left + std::string(behind), "the merged token");
      merges_.set(left_id, right_id, {rank++, merged});
    }
  }

  std::optional<int32_t> id_of(std::string_view character, bool first, bool last) const {
    const bool as_it_is = (first || prefix_.empty()) && (!last || suffix_.empty());
    if (as_it_is && prefix_.empty()) {
      const char32_t value = decode_utf8(character).value;
      if (value < first_ids_.size()) {
        return first_ids_[value] >= 0 ? std::optional(first_ids_[value]) : std::nullopt;
      }
    }
    if (as_it_is) return table().find(character);
    std::string decorated = first ? "" : prefix_;
    decorated += character;
    if (last) decorated += suffix_;
    return table().find(decorated);
  }

  std::vector<Symbol> symbols_of(std::string_view word) const {
    std::vector<Symbol> symbols;
    symbols.reserve(word.size());
    bool after_unknown = false;
    for (size_t i = 0; i < word.size();) {
      const auto bytes = static_cast<size_t>(decode_utf8(word.substr(i)).bytes);
      const std::string_view character = word.substr(i, bytes);
      const auto length = static_cast<uint32_t>(bytes);
      const auto id = id_of(character, i == 0, i + bytes == word.size());
      i += bytes;
      if (id) {
        symbols.push_back({*id, length});
      } else if (add_bytes(character, symbols)) {
      } else if (unknown_ && fuse_unknown_ && after_unknown) {
        symbols.back().bytes += length;
        continue;
      } else if (unknown_) {
        symbols.push_back({*unknown_, length});
        after_unknown = true;
        continue;
      } else {
        continue;  // without an unknown token it vanishes
      }
      after_unknown = false;
    }
    return symbols;
  }

  bool add_bytes(std::string_view character, std::vector<Symbol>& symbols) const {
    if (byte_ids_.empty()) return false;
    const bool known = std::all_of(character.begin(), character.end(), [this](char byte) {
      return byte_ids_[static_cast<unsigned char>(byte)] >= 0;
    });
    if (!known) return false;
    for (const char byte : character) {
      symbols.push_back({byte_ids_[static_cast<unsigned char>(byte)], 1});
    }
    return true;
  }

  void merge_walking(std::vector<Symbol>& symbols) const {
    std::array<MergeTable::Merge, longest_walk> pairs;  // of a symbol and the one behind it
    size_t count = symbols.size();
    for (size_t i = 0; i + 1 < count; ++i) {
      pairs[i] = merges_.find(symbols[i].id, symbols[i + 1].id);
    }
    while (count > 1) {
      size_t best = 0;
      for (size_t i = 1; i + 1 < count; ++i) {
        if (pairs[i].rank < pairs[best].rank) best = i;
      }
      if (pairs[best].id < 0) break;
      symbols[best] = {pairs[best].id, symbols[best].bytes + symbols[best + 1].bytes};
      --count;
      for (size_t i = best + 1; i < count; ++i) {
        symbols[i] = symbols[i + 1];
        pairs[i] = pairs[i + 1];
      }
      if (best > 0) pairs[best - 1] = merges_.find(symbols[best - 1].id, symbols[best].id);
      if (best + 1 < count) pairs[best] = merges_.find(symbols[best].id, symbols[best + 1].id);
    }
    symbols.resize(count);
  }

  void merge_by_heap(std::vector<Symbol>& symbols) const {
    constexpr uint32_t none = UINT32_MAX;
    const auto count = static_cast<uint32_t>(symbols.size());
    std::vector<uint32_t> before(count);
    std::vector<uint32_t> behind(count);
    // Rank and position of a pair in one number: the smallest is merged first.
    std::vector<uint64_t> candidates;
    const auto rank_at = [&](uint32_t position) {
      return merges_.find(symbols[position].id, symbols[behind[position]].id).rank;
    };
    const auto propose = [&](uint32_t position) {
      if (position == none || behind[position] == none) return false;
      const uint32_t rank = rank_at(position);
      if (rank != UINT32_MAX) candidates.push_back(uint64_t{rank} << 32U | position);
      return rank != UINT32_MAX;
    };
    for (uint32_t i = 0; i < count; ++i) {
      before[i] = i == 0 ? none : i - 1;
      behind[i] = i + 1 < count ? i + 1 : none;
      if (i > 0) propose(i - 1);
    }
    const std::greater<> later;
    std::make_heap(candidates.begin(), candidates.end(), later);
    while (!candidates.empty()) {
      std::pop_heap(candidates.begin(), candidates.end(), later);
      const auto position = static_cast<uint32_t>(candidates.back());
      const auto rank = static_cast<uint32_t>(candidates.back() >> 32U);
      candidates.pop_back();
      const uint32_t right = behind[position];
      if (symbols[position].bytes == 0 || right == none) continue;
      const MergeTable::Merge merge = merges_.find(symbols[position].id, symbols[right].id);
      if (merge.rank != rank) continue;  // one of the two has merged with another meanwhile
      symbols[position] = {merge.id, symbols[position].bytes + symbols[right].bytes};
      symbols[right].bytes = 0;
      behind[position] = behind[right];
      if (behind[right] != none) before[behind[right]] = position;
      for (const uint32_t changed : {before[position], position}) {
        if (propose(changed)) std::push_heap(candidates.begin(), candidates.end(), later);
      }
    }
    std::erase_if(symbols, [](const Symbol& symbol) { return symbol.bytes == 0; });
  }

  std::string prefix_, suffix_;
  bool fuse_unknown_, whole_words_;
  MergeTable merges_;
  std::optional<int32_t> unknown_;
  std::vector<int32_t> byte_ids_;
  std::array<int32_t, 512> first_ids_{};  // of the byte alphabet's characters and Latin ones
};

}  // namespace

std::unique_ptr<TokenModel> make_bpe(const JsonFields& fields, const ModelJson& json) {
  return std::make_unique<Bpe>(fields, json);
}

}  // namespace headroom
