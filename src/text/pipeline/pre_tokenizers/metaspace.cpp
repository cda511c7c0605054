// Metaspace: SentencePiece's way to keep spaces. Each is written as another character, and a word
// begins at each.
#include "text/pipeline/pre_tokenizers/kinds.h"
#include "text/pipeline/split.h"

namespace headroom {
namespace {

enum class PrependScheme { first, never, always };
constexpr auto prepend_scheme_table =
    enum_table<PrependScheme>("prepend_scheme", {{PrependScheme::first, "first"},
                                                 {PrependScheme::never, "never"},
                                                 {PrependScheme::always, "always"}});

// Older files say add_prefix_space instead.
PrependScheme scheme_of(const JsonFields& fields) {
  if (!fields.boolean_or("add_prefix_space", true)) return PrependScheme::never;
  return prepend_scheme_table.parse(fields.text_or("prepend_scheme", "always"),
                                    ErrorCode::bad_model, "read tokenizer.json");
}

class Metaspace : public PreTokenizer {
 public:
  explicit Metaspace(const JsonFields& fields)
      : mark_(fields.text_or("replacement", "\u2581")),
        scheme_(scheme_of(fields)),
        cut_(fields.boolean_or("split", true)) {
    if (count_characters(mark_) != 1) fields.fail("replacement", "is not one character");
  }

  void cut(AlignedText text, std::vector<AlignedText>& words) const override {
    if (mark_ != " ") text.replace(all_of(text.text(), " "), mark_);
    const bool prepends =
        scheme_ == PrependScheme::always || (scheme_ == PrependScheme::first && text.start() == 0);
    if (prepends && !text.text().starts_with(mark_)) text.prepend(mark_);
    if (cut_) {
      split_text(text, all_of(text.text(), mark_), SplitBehavior::merged_with_next, false, words);
    } else if (!text.empty()) {
      words.push_back(std::move(text));
    }
  }

  bool needs_alignment() const override { return scheme_ == PrependScheme::first; }

 private:
  static std::vector<TextSpan> all_of(std::string_view text, std::string_view part) {
    std::vector<TextSpan> found;
    for (size_t at = text.find(part); at < text.size(); at = text.find(part, at + part.size())) {
      found.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(at + part.size())});
    }
    return found;
  }

  std::string mark_;
  PrependScheme scheme_;
  bool cut_;
};

}  // namespace

std::unique_ptr<PreTokenizer> make_metaspace(const JsonFields& fields) {
  return std::make_unique<Metaspace>(fields);
}

}  // namespace headroom
