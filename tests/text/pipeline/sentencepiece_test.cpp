// SentencePiece's files, written here by hand: a tag, a length, the bytes.
#include "text/sentencepiece.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support.h"

namespace headroom {
namespace {
using namespace testing;

std::string bytes_field(int number, std::string_view bytes) {
  std::string field(1, static_cast<char>(number << 3 | 2));
  field += static_cast<char>(bytes.size());
  return field.append(bytes);
}

std::string piece(std::string_view text, float score) {
  std::string score_bytes(sizeof(score), '\0');
  std::memcpy(score_bytes.data(), &score, sizeof(score));
  return bytes_field(1, bytes_field(1, text) + '\x15' + score_bytes + '\x18' + '\x01');
}

TEST(SentencePiece, GivesPiecesKindAndTable) {
  const std::string trainer("\x18\x02\x98\x02\x01", 5);  // BPE, byte_fallback
  const SentencePieceModel model =
      parse_sentencepiece(piece("<unk>", 0) + piece("▁a", -1.5) + bytes_field(2, trainer) +
                          bytes_field(3, bytes_field(2, "map")));
  ASSERT_EQ(model.pieces.size(), 2U);
  EXPECT_EQ(model.pieces[1].text, "▁a");
  EXPECT_EQ(model.pieces[1].score, -1.5);
  EXPECT_EQ(model.kind, SentencePieceModel::Kind::bpe);
  EXPECT_TRUE(model.byte_fallback);
  EXPECT_EQ(model.charsmap, "map");
}

TEST(SentencePiece, DamagedFilesAreRefused) {
  const std::string good = piece("a", 0);
  expect_error(ErrorCode::bad_model, "ends too early",
               [&] { parse_sentencepiece(good.substr(0, good.size() - 3)); });
  expect_error(ErrorCode::bad_model, "no pieces", [] { parse_sentencepiece(""); });
  expect_error(ErrorCode::bad_model, "has no end",
               [] { parse_sentencepiece(std::string(20, '\xFF')); });
  expect_error(ErrorCode::bad_model, "not UTF-8", [] { parse_sentencepiece(piece("\xFF", 0)); });
  expect_error(ErrorCode::bad_model, "no SentencePiece model",
               [] { parse_sentencepiece("version https://git-lfs"); });
}

}  // namespace
}  // namespace headroom
