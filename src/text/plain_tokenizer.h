// Tokens of running text for language models: its characters, or what stands between spaces. Both
// keep everything, so that a text can be put together again.
#pragma once

#include <string>

#include "text/vocabulary_tokenizer.h"

namespace headroom {

// Every character is a token. A vocabulary cannot hold white space as it is: space, line end and
// tab are spelled as Unicode's pictures of them (U+2420, U+2424, U+2409).
class CharacterTokenizer : public VocabularyTokenizer {
 public:
  using VocabularyTokenizer::VocabularyTokenizer;
  std::string join(std::span<const int32_t> ids) const override;

  // All characters of a text, most frequent first; other white space and control characters are
  // left out and become [UNK].
  static Vocabulary build(std::string_view text);

 protected:
  void append_pieces(std::string_view text, size_t limit, std::vector<int32_t>& ids) const override;
  void append_with_spans(std::string_view text, size_t limit, std::vector<int32_t>& ids,
                         std::vector<TextSpan>& spans) const override;
};

// What stands between spaces is a token, as written; the end of a line is [SEP]. For corpora that
// come tokenised, such as WikiText.
class SpaceTokenizer : public VocabularyTokenizer {
 public:
  using VocabularyTokenizer::VocabularyTokenizer;
  std::string join(std::span<const int32_t> ids) const override;

  static Vocabulary build(std::string_view text, int32_t max_size, int64_t min_count);

 protected:
  void append_pieces(std::string_view text, size_t limit, std::vector<int32_t>& ids) const override;
  void append_with_spans(std::string_view text, size_t limit, std::vector<int32_t>& ids,
                         std::vector<TextSpan>& spans) const override;
};

}  // namespace headroom
