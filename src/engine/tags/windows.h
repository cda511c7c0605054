// A text as a tagger reads it: its tokens with their offsets, in windows that overlap where they
// are more than the model takes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "headroom/types.h"
#include "text/tokenizer.h"

namespace headroom {

// A token of the text itself, without the special ones around it.
struct WindowPiece {
  int32_t id = 0;
  int32_t type = 0;
  TextSpan span;  // characters
};

class TextWindows {
 public:
  // `longest` tokens, special ones included, are a window; two share a quarter of it.
  TextWindows(const Tokenizer& tokenizer, std::string_view text, int64_t longest);

  const std::vector<Tokens>& inputs() const { return inputs_; }  // at least one
  const std::vector<WindowPiece>& pieces() const { return pieces_; }

  // Of each piece, its scores in the window where it is furthest from an edge. `answers` are those
  // of inputs(), and must outlive what is returned.
  std::vector<std::span<const double>> scores(std::span<const Answer> answers, size_t labels) const;

 private:
  std::vector<WindowPiece> pieces_;
  std::vector<Tokens> inputs_;
  size_t before_ = 0;  // special tokens in front of a window's pieces
  size_t step_ = 0;    // pieces from a window's beginning to the next one's
  size_t overlap_ = 0;
};

}  // namespace headroom
