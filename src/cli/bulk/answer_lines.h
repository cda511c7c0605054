// From lines of input to lines of output: read, answered, written. What a thread of `predict`
// does with its part of a batch.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "checkpoint/config.h"
#include "cli/engines/engine.h"
#include "cli/inputs/inputs.h"
#include "cli/outputs/output.h"
#include "data/input/line_batches.h"

namespace headroom {

struct AnswerForm {
  bool json = false;    // JSON lines, or what the output is for people
  bool floats = false;  // a vector's numbers alone, as they lie in memory, instead of both
  TextForm text;
  bool timing = true;     // JSON lines say what a text took
  bool mark_bad = false;  // a line that cannot be answered gets one that says why
};

// Neither a text nor a problem: nobody came to this line.
struct LineOutcome {
  std::optional<std::string> text;  // of output, with its end; nothing for a blank JSON line
  std::optional<Error> problem;     // without the line's number; with `text` it is marked there
  bool truncated = false;           // longer than the model reads
};

// Fills in `outcomes`, one for each of `lines`.
void answer_lines(const TextEngine& engine, const ModelConfig& config, const AnswerForm& form,
                  InputKind kind, std::span<const InputLine> lines,
                  std::span<LineOutcome> outcomes);

}  // namespace headroom
