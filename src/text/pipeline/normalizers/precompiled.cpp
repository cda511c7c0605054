// Precompiled: SentencePiece's table of replacements, a double-array trie (darts-clone) in front of
// the strings that its values point to. A grapheme cluster below six bytes is looked up as a whole
// and takes the replacement of its shortest prefix there, a longer one character by character: so
// do Hugging Face's tokenizers, and models were trained with it.
#include <algorithm>
#include <cstring>
#include <optional>

#include "text/pipeline/base64.h"
#include "text/pipeline/normalizers/kinds.h"
#include "text/unicode/unicode.h"

namespace headroom {
namespace {

constexpr size_t longest_cluster = 5;  // bytes that are looked up at once

class CharsMap {
 public:
  explicit CharsMap(std::string bytes) {
    uint32_t trie_bytes = 0;
    if (bytes.size() < sizeof(trie_bytes)) damaged();
    std::memcpy(&trie_bytes, bytes.data(), sizeof(trie_bytes));  // little-endian, as we are
    if (trie_bytes % 4 != 0 || trie_bytes == 0 || trie_bytes > bytes.size() - 4) damaged();
    units_.resize(trie_bytes / 4);
    std::memcpy(units_.data(), bytes.data() + 4, trie_bytes);
    strings_ = bytes.substr(4 + trie_bytes);
    for (char c = 0x20; c < 0x7F; ++c) keeps_ascii_ = keeps_ascii_ && !find({&c, 1});
  }

  // The replacement of the shortest prefix of `text` that has one.
  std::optional<std::string_view> find(std::string_view text) const {
    size_t node = offset_of(units_[0]);
    for (const char each : text) {
      const auto byte = static_cast<unsigned char>(each);
      if (byte == 0) break;
      node ^= byte;
      if (node >= units_.size() || (units_[node] & 0x800000FFU) != byte) break;
      const uint32_t unit = units_[node];
      node ^= offset_of(unit);
      if ((unit >> 8U & 1U) == 0) continue;
      if (node >= units_.size()) break;
      const size_t from = units_[node] & 0x7FFFFFFFU;
      if (from >= strings_.size()) break;
      const std::string_view rest = std::string_view(strings_).substr(from);
      const std::string_view found = rest.substr(0, std::min(rest.find('\0'), rest.size()));
      if (find_invalid_utf8(found)) break;
      return found;
    }
    return std::nullopt;
  }

  bool keeps_ascii() const { return keeps_ascii_; }

 private:
  [[noreturn]] static void damaged() {
    throw Error(ErrorCode::bad_model, "read tokenizer.json",
                "normalizer precompiled_charsmap is no SentencePiece table: damaged?");
  }
  static size_t offset_of(uint32_t unit) { return (unit >> 10U) << ((unit & 1U << 9U) >> 6U); }

  std::vector<uint32_t> units_;
  std::string strings_;
  bool keeps_ascii_ = true;
};

// Whether a cluster that ends with `before` goes on with `c`. Sequences of emoji, flags and Hangul
// do too, but are longer than what is looked up at once.
bool goes_on(char32_t before, char32_t c) {
  if (before < 0x80 && c < 0x80) return before == '\r' && c == '\n';
  const GraphemeBreak left = grapheme_break_of(before);
  if (left == GraphemeBreak::cr || left == GraphemeBreak::lf || left == GraphemeBreak::control) {
    return false;
  }
  const GraphemeBreak right = grapheme_break_of(c);
  if (right == GraphemeBreak::extend || right == GraphemeBreak::spacing_mark) return true;
  return left == GraphemeBreak::prepend && right == GraphemeBreak::other;
}

class Precompiled : public Normalizer {
 public:
  explicit Precompiled(const JsonFields& fields)
      : map_(base64_decoded(fields.text("precompiled_charsmap"), fields, "precompiled_charsmap")) {}

  void apply(AlignedText& text) const override {
    Rewriting rewriting{map_, text.text(), {}};
    size_t begin = 0;
    char32_t before = 0;
    text.for_each([&](char32_t c, size_t at, size_t) {
      if (at > 0 && !goes_on(before, c)) {
        rewriting.add_cluster(begin, at);
        begin = at;
      }
      before = c;
    });
    if (!text.empty()) rewriting.add_cluster(begin, text.size());
    if (rewriting.modified) text.transform(rewriting.changes);
  }
  bool keeps_plain_ascii() const override { return map_.keeps_ascii(); }

 private:
  struct Rewriting {
    const CharsMap& map;
    std::string_view text;
    std::vector<CharacterChange> changes;
    bool modified = false;

    void add_cluster(size_t begin, size_t end) {
      const std::string_view cluster = text.substr(begin, end - begin);
      if (cluster.size() <= longest_cluster && replaced(cluster)) return;
      for (size_t i = 0; i < cluster.size();) {
        const CodePoint point = decode_utf8(cluster.substr(i));
        const auto bytes = static_cast<size_t>(point.bytes);
        if (!replaced(cluster.substr(i, bytes))) changes.push_back({point.value, 0});
        i += bytes;
      }
    }

    bool replaced(std::string_view part) {
      const std::optional<std::string_view> found = map.find(part);
      if (!found) return false;
      modified = true;
      const int added =
          static_cast<int>(count_characters(*found)) - static_cast<int>(count_characters(part));
      for (size_t i = 0; i < found->size();) {
        const CodePoint point = decode_utf8(found->substr(i));
        changes.push_back({point.value, 0});
        i += static_cast<size_t>(point.bytes);
      }
      if (added < 0 && !changes.empty()) changes.back().change += added;
      for (int i = 0; i < added; ++i)
        changes[changes.size() - 1 - static_cast<size_t>(i)].change = 1;
      return true;
    }
  };

  CharsMap map_;
};

}  // namespace

std::unique_ptr<Normalizer> make_precompiled(const JsonFields& fields) {
  return std::make_unique<Precompiled>(fields);
}

}  // namespace headroom
