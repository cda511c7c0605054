// What a sequence's tokens become: the sum of a word's, a position's and a type's row, per token.
#pragma once

#include <cstdint>

namespace headroom {

struct EmbedCall {
  const int32_t* ids = nullptr;
  const int32_t* types = nullptr;  // null: all 0
  int64_t tokens = 0;
  int64_t width = 0;
  // Tables with rows of `width` numbers, one behind the other.
  const float* word_rows = nullptr;
  const float* position_rows = nullptr;
  const float* type_rows = nullptr;
  float* out = nullptr;
  int64_t out_stride = 0;
};

void embed_reference(const EmbedCall& call);

}  // namespace headroom
