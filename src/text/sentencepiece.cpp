#include "text/sentencepiece.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/error.h"
#include "text/unicode/utf8.h"
#include "text/vocabulary.h"

namespace headroom {
namespace {

[[noreturn]] void refuse_sentencepiece(const std::string& message) {
  throw Error(ErrorCode::bad_model, "read SentencePiece model", message);
}

// One field of a message: its number, and its value as a number or as bytes.
struct ProtoField {
  uint64_t number = 0;
  uint64_t value = 0;
  std::string_view bytes;
  bool is_bytes = false;
};

class ProtoReader {
 public:
  explicit ProtoReader(std::string_view bytes) : rest_(bytes) {}

  bool next(ProtoField& field) {
    if (rest_.empty()) return false;
    const uint64_t key = varint();
    field = {key >> 3U, 0, {}, false};
    switch (key & 7U) {
      case 0:
        field.value = varint();
        return true;
      case 1:
        field.value = fixed(8);
        return true;
      case 2: {
        const uint64_t size = varint();
        if (size > rest_.size()) refuse_sentencepiece("it ends too early: an incomplete download?");
        field.bytes = rest_.substr(0, size);
        field.is_bytes = true;
        rest_.remove_prefix(size);
        return true;
      }
      case 5:
        field.value = fixed(4);
        return true;
      default:
        refuse_sentencepiece("it is no SentencePiece model");
    }
  }

 private:
  uint64_t varint() {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    refuse_sentencepiece("a number in it has no end: is it a SentencePiece model?");
  }

  uint64_t fixed(size_t bytes) {
    if (rest_.size() < bytes) refuse_sentencepiece("it ends too early: an incomplete download?");
    uint64_t value = 0;
    std::memcpy(&value, rest_.data(), bytes);  // little-endian, as we are
    rest_.remove_prefix(bytes);
    return value;
  }

  std::string_view rest_;
};

SentencePieceModel::Piece parse_piece(std::string_view bytes) {
  SentencePieceModel::Piece piece;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.number == 1 && field.is_bytes) piece.text = field.bytes;
    if (field.number == 2 && !field.is_bytes) {
      float score = 0;
      const auto bits = static_cast<uint32_t>(field.value);
      std::memcpy(&score, &bits, sizeof(score));
      piece.score = score;
    }
  }
  if (find_invalid_utf8(piece.text) || !std::isfinite(piece.score)) {
    refuse_sentencepiece("a piece is not UTF-8, or its score is no number");
  }
  return piece;
}

void parse_trainer(std::string_view bytes, SentencePieceModel& model) {
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.number == 3 && !field.is_bytes) {
      if (field.value < 1 || field.value > 4) refuse_sentencepiece("its kind is not known");
      model.kind = static_cast<SentencePieceModel::Kind>(field.value);
    }
    if (field.number == 35 && !field.is_bytes) model.byte_fallback = field.value != 0;
  }
}

void parse_normalizer(std::string_view bytes, SentencePieceModel& model) {
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (field.number == 2 && field.is_bytes) model.charsmap = field.bytes;
  }
}

}  // namespace

SentencePieceModel parse_sentencepiece(std::string_view bytes) {
  SentencePieceModel model;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.next(field);) {
    if (!field.is_bytes) continue;
    if (field.number == 1) model.pieces.push_back(parse_piece(field.bytes));
    if (field.number == 2) parse_trainer(field.bytes, model);
    if (field.number == 3) parse_normalizer(field.bytes, model);
    if (model.pieces.size() > Vocabulary::max_size) {
      refuse_sentencepiece(fmt::format("it has more than {} pieces", Vocabulary::max_size));
    }
  }
  if (model.pieces.empty()) refuse_sentencepiece("it has no pieces");
  return model;
}

}  // namespace headroom
