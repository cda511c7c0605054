// A head turns the encoder's rows into an answer. It says which rows it reads, so that the encoder
// computes no others behind the last attention. One file a head; heads/heads.cpp lists them.
#pragma once

#include <cstdint>
#include <span>

#include "engine/encoder/workspace.h"
#include "engine/kernels/kernels.h"
#include "headroom/types.h"

namespace headroom {

enum class Rows {
  first,  // [CLS]
  all,    // every token
};

// The final hidden states: of one text, or the first rows of several. Of the workspace, a head that
// reads first rows may overwrite the stream, one that reads all the tail.
struct HeadInput {
  const Kernels& kernels;
  const Workspace& work;
  const Stream& states;
  int64_t rows;
};

class Head {
 public:
  virtual ~Head() = default;
  virtual Rows rows() const = 0;
  virtual int64_t width() const = 0;  // floats that a row becomes

  // Writes width() floats a row. A row's floats must not depend on the other rows of a call.
  virtual void compute(const HeadInput& input, float* outputs) const = 0;

  // Fills in what one text's outputs say: width() floats for each row it reads.
  virtual void answer(std::span<const float> outputs, Answer& answer) const = 0;
};

}  // namespace headroom
