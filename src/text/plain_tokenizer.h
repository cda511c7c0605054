// Tokens of running text for language models: its characters, or what stands between spaces. Both
// keep everything, so that a text can be put together again.
#pragma once

#include <string>

#include "text/tokenizer.h"

namespace headroom {

// Every character is a token. A vocabulary cannot hold white space as it is: space, line end and
// tab are spelled as Unicode's pictures of them (U+2420, U+2424, U+2409).
class CharacterTokenizer : public Tokenizer {
 public:
  explicit CharacterTokenizer(Vocabulary vocabulary);
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::string join(std::span<const int32_t> ids) const override;

  // All characters of a text, most frequent first; other white space and control characters are
  // left out and become [UNK].
  static Vocabulary build(std::string_view text);

 protected:
  void append_pieces(std::string_view text, size_t limit, std::vector<int32_t>& ids) const override;
  void append_with_spans(std::string_view text, size_t limit, std::vector<int32_t>& ids,
                         std::vector<TextSpan>& spans) const override;

 private:
  Vocabulary vocabulary_;
};

// What stands between spaces is a token, as written; the end of a line is [SEP]. For corpora that
// come tokenised, such as WikiText.
class SpaceTokenizer : public Tokenizer {
 public:
  explicit SpaceTokenizer(Vocabulary vocabulary);
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::string join(std::span<const int32_t> ids) const override;

  static Vocabulary build(std::string_view text, int32_t max_size, int64_t min_count);

 protected:
  void append_pieces(std::string_view text, size_t limit, std::vector<int32_t>& ids) const override;
  void append_with_spans(std::string_view text, size_t limit, std::vector<int32_t>& ids,
                         std::vector<TextSpan>& spans) const override;

 private:
  Vocabulary vocabulary_;
};

}  // namespace headroom
