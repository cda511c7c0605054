// SentencePiece's model files.
#include "text/sentencepiece.h"

#include "target.h"
#include "text/unicode/utf8.h"

namespace headroom::fuzz {
namespace {

const Target sentencepiece("sentencepiece", [](std::string_view input) {
  accepts({ErrorCode::bad_model}, [&] {
    for (const auto& piece : parse_sentencepiece(input).pieces) {
      require(!find_invalid_utf8(piece.text), "pieces are UTF-8");
    }
  });
});

}  // namespace
}  // namespace headroom::fuzz
