// Text to token ids, with the special tokens that the model's family expects around them. A
// tokenizer says how a text becomes pieces; framing and truncating them is done here, once for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headroom/types.h"
#include "text/framing.h"
#include "text/text_span.h"
#include "text/truncation.h"
#include "text/vocabulary.h"

namespace headroom {

// A text or a pair, token by token, for whoever has to find the tokens in the text again.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> types;     // as long as ids
  std::vector<TextSpan> offsets;  // characters of the text that the token is of; special: {0, 0}
  std::vector<int8_t> sources;  // 0: of the first text, 1: of the second, -1: special, around them
  bool truncated = false;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // [CLS] text [SEP] in BERT's framing, truncated to `max_tokens` ids; the special tokens, which
  // must fit, stay. Throws ErrorCode::bad_data when the text is not UTF-8.
  //
  // Of a text that is too long only the beginning and, where it is kept, the end are cut into
  // pieces: the end from a space on, some way before the first piece that stays
  // (text/truncation.h).
  std::vector<int32_t> encode(std::string_view text, int max_tokens) const;

  // [CLS] first [SEP] second [SEP], truncated likewise: the longer text loses its end first;
  // between equals the second. Types are 0 up to the first [SEP] and 1 after it; there are none
  // where the framing has none. An empty second text is none: [CLS] first [SEP], with types of 0.
  Tokens encode_pair(std::string_view first, std::string_view second, int max_tokens) const;

  // The same for a first text whose pieces() are known: one query with many passages.
  Tokens encode_pair(std::vector<int32_t> first, std::string_view second, int max_tokens) const;

  // The same of a text or a pair; with the letter case of a text's words where that is asked for.
  Tokens tokens(const Text& text, int max_tokens) const;

  // The same tokens, with where they are in the text. Slower. Throws ErrorCode::bad_data likewise.
  Encoding encode_with_offsets(const Text& text, int max_tokens) const;
  // Pieces with the special tokens of a single text around them, and how many of them fit in
  // `max_tokens` (ErrorCode::usage when the special tokens alone do not).
  std::vector<int32_t> frame(std::span<const int32_t> pieces) const;
  size_t room(int max_tokens) const;

  // The tokens of `text` alone, all of them. Throws ErrorCode::bad_data when it is not UTF-8.
  std::vector<int32_t> pieces(std::string_view text) const;

  // The same, and their types where these tell the letter case; otherwise none.
  Tokens typed_pieces(std::string_view text) const;

  // The text that tokens make: words with spaces between them, pieces that go on inside a word
  // ("##ing") without; special tokens but [UNK] are left out.
  virtual std::string join(std::span<const int32_t> ids) const;

  virtual const Vocabulary& vocabulary() const = 0;

  void set_framing(Framing framing) { framing_ = std::move(framing); }
  const Framing& framing() const { return framing_; }
  void set_truncation(const Truncation& truncation) { truncation_ = truncation; }
  const Truncation& truncation() const { return truncation_; }
  void set_kept_part(KeptPart part) { truncation_.keeps = part; }
  // Whether token types of single texts tell the letter case of words (text/letter_case.h).
  void set_letter_case(bool letter_case) { letter_case_ = letter_case; }
  bool letter_case() const { return letter_case_; }

  // The longest input of a model with so many positions.
  int most_tokens(int64_t positions) const;

 protected:
  explicit Tokenizer(const Vocabulary& vocabulary) : framing_(vocabulary) {}
  explicit Tokenizer(Framing framing) : framing_(std::move(framing)) {}
  Tokenizer(const Tokenizer&) = default;
  Tokenizer& operator=(const Tokenizer&) = default;

  // Appends the ids of the first `limit` pieces of `text`, which is valid UTF-8.
  virtual void append_pieces(std::string_view text, size_t limit,
                             std::vector<int32_t>& ids) const = 0;

  // The same, and for each of them the bytes of `text` that it is made of. Both are empty before.
  virtual void append_with_spans(std::string_view text, size_t limit, std::vector<int32_t>& ids,
                                 std::vector<TextSpan>& spans) const = 0;

  // A last change to offsets that are characters by now, those of one text's tokens.
  virtual void adjust_offsets(std::span<const int32_t> /*ids*/,
                              std::span<TextSpan> /*offsets*/) const {}

 private:
  struct Lengths {
    size_t first, second;
  };
  Lengths kept_lengths(size_t first, size_t second, size_t room) const;
  size_t reading_limit(size_t room) const;
  // Pieces of one text, and the characters they are of where those are asked for.
  struct Pieces {
    std::vector<int32_t> ids;
    std::vector<TextSpan> offsets = {};
    bool truncated = false;

    void keep_first(size_t count);
    void keep_last(size_t count);
    void append(const Pieces& others);
  };
  enum class Offsets { left_out, told };
  Pieces read_pieces(std::string_view text, size_t begin, size_t limit, Offsets offsets) const;
  Pieces kept_pieces(std::string_view text, size_t room, Offsets offsets) const;
  Pieces last_pieces(std::string_view text, size_t count, Offsets offsets) const;
  void keep_part(Pieces& pieces, size_t room) const;
  void truncate(Pieces& pieces, size_t kept) const;
  Tokens alone_in_pair(const Pieces& first) const;
  const std::vector<FramePiece>& frame_around(std::string_view second) const;

  Framing framing_;  // BERT's, unless the family has another
  Truncation truncation_;
  bool letter_case_ = false;
};

}  // namespace headroom
