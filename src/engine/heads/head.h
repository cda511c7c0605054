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
  first,   // [CLS]
  all,     // every token, each with an output
  pooled,  // every token, all of them with one output
};

// The final hidden states: of one text, or the first rows of several. Of the workspace, a head that
// reads first rows may overwrite the stream, any other the tail.
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
  virtual int64_t width() const = 0;  // floats of an output

  // Writes width() floats for each output. A text's floats must not depend on the others of a call.
  virtual void compute(const HeadInput& input, float* outputs) const = 0;

  // Fills in what one text's outputs say; `answer.budget` is what they were computed with.
  virtual void answer(const Tokens& input, std::span<const float> outputs,
                      Answer& answer) const = 0;
};

}  // namespace headroom
