// Normalisers that look at one character at a time: Lowercase, StripAccents, Nmt, and those at the
// ends of a text: Strip, Prepend.
#include "text/pipeline/normalizers/kinds.h"
#include "text/unicode/unicode.h"

namespace headroom {
namespace {

class Lowercase : public Normalizer {
 public:
  void apply(AlignedText& text) const override {
    std::vector<CharacterChange> changes;
    changes.reserve(text.size());
    text.for_each([&](char32_t c, size_t, size_t) {
      if (c < 0x80) {
        changes.push_back({c >= 'A' && c <= 'Z' ? c - U'A' + U'a' : c, 0});
      } else if (c == 0x130) {  // the one character whose lower case is two
        changes.insert(changes.end(), {{U'i', 0}, {0x307, 1}});
      } else {
        changes.push_back({lower_case_of(c), 0});
      }
    });
    text.transform(changes);
  }
};

class StripAccents : public Normalizer {
 public:
  void apply(AlignedText& text) const override {
    text.filter([](char32_t c) { return c < 0x300 || !is_any_mark(c); });
  }
  bool keeps_plain_ascii() const override { return true; }
};

// What SentencePiece's "nmt" rules drop, and what they see as a space.
class NmtRules : public Normalizer {
 public:
  void apply(AlignedText& text) const override {
    text.filter([](char32_t c) {
      return !((c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F ||
               c == 0x8F || c == 0x9F);
    });
    text.map([](char32_t c) {
      const bool space = c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
                         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 ||
                         c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
      return space ? U' ' : c;
    });
  }
  bool keeps_plain_ascii() const override { return true; }
};

class Strip : public Normalizer {
 public:
  explicit Strip(const JsonFields& fields)
      : left_(fields.boolean_or("strip_left", true)),
        right_(fields.boolean_or("strip_right", true)) {}

  void apply(AlignedText& text) const override {
    size_t first = text.size();  // of what stays
    size_t last = 0;
    text.for_each([&](char32_t c, size_t begin, size_t end) {
      if (is_white_space(c)) return;
      if (first == text.size()) first = begin;
      last = end;
    });
    std::vector<TextSpan> ends;
    const auto size = static_cast<uint32_t>(text.size());
    if (left_ && first > 0) ends.push_back({0, static_cast<uint32_t>(first)});
    if (right_ && last < size && !(left_ && first == size)) {
      ends.push_back({static_cast<uint32_t>(last), size});
    }
    if (!ends.empty()) text.replace(ends, "");
  }
  bool keeps_plain_ascii() const override { return true; }

 private:
  bool left_, right_;
};

class Prepend : public Normalizer {
 public:
  explicit Prepend(const JsonFields& fields) : prefix_(fields.text("prepend")) {}
  void apply(AlignedText& text) const override { text.prepend(prefix_); }

 private:
  std::string prefix_;
};

}  // namespace

std::unique_ptr<Normalizer> make_lowercase(const JsonFields&) {
  return std::make_unique<Lowercase>();
}

std::unique_ptr<Normalizer> make_strip_accents(const JsonFields&) {
  return std::make_unique<StripAccents>();
}

std::unique_ptr<Normalizer> make_nmt(const JsonFields&) {
  return std::make_unique<NmtRules>();
}

std::unique_ptr<Normalizer> make_strip(const JsonFields& fields) {
  return std::make_unique<Strip>(fields);
}

std::unique_ptr<Normalizer> make_prepend(const JsonFields& fields) {
  return std::make_unique<Prepend>(fields);
}

}  // namespace headroom
