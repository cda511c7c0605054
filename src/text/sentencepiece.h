// SentencePiece's model file (sentencepiece.bpe.model, spm.model): pieces with scores, and the
// table of its normaliser. A protocol buffer, of which the few fields that matter are read here,
// with every length checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

struct SentencePieceModel {
  enum class Kind { unigram = 1, bpe = 2, word = 3, character = 4 };
  struct Piece {
    std::string text;
    double score = 0;
  };
  Kind kind = Kind::unigram;
  std::vector<Piece> pieces;
  bool byte_fallback = false;
  std::string charsmap;  // empty: texts are not normalised
};

// Throws ErrorCode::bad_model when the bytes are no such file.
SentencePieceModel parse_sentencepiece(std::string_view bytes);

}  // namespace headroom
