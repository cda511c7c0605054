// The special tokens around a text or a pair, written as tokenizer.json's templates are:
// "[CLS] $A [SEP] $B:1 [SEP]:1", where ":1" gives a piece token type 1.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "headroom/types.h"
#include "text/vocabulary.h"

namespace headroom {

struct FramePiece {
  enum class Kind { special, first, second };
  Kind kind = Kind::special;
  int32_t id = 0;  // of a special token
  int32_t type = 0;
};

class Framing {
 public:
  // BERT's.
  explicit Framing(const Vocabulary& vocabulary)
      : Framing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", vocabulary) {}
  // Throws ErrorCode::bad_model when a special token is not in the vocabulary.
  Framing(std::string_view single, std::string_view pair, const Vocabulary& vocabulary);
  Framing(std::vector<FramePiece> single, std::vector<FramePiece> pair)
      : single_(std::move(single)), pair_(std::move(pair)) {}

  const std::vector<FramePiece>& single() const { return single_; }
  const std::vector<FramePiece>& pair() const { return pair_; }
  bool typed() const;  // whether a piece of a pair has another type than 0

  // The pieces of a single text with special tokens around them.
  std::vector<int32_t> around(std::span<const int32_t> pieces) const;
  // Those of a pair, with types where the framing has them.
  Tokens around_pair(std::span<const int32_t> first, std::span<const int32_t> second) const;
  // Those of a pair whose second text is empty: a single text, with a pair's types.
  Tokens around_first(std::span<const int32_t> first) const;

  static size_t special_tokens(const std::vector<FramePiece>& frame);

 private:
  std::vector<FramePiece> single_;
  std::vector<FramePiece> pair_;
};

}  // namespace headroom
