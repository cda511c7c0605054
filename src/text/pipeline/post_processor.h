// The last step of a tokenizer read from tokenizer.json: special tokens around texts, as templates,
// and whether offsets are trimmed.
#pragma once

#include "base/json.h"
#include "text/framing.h"

namespace headroom {

struct PostProcessing {
  std::vector<FramePiece> single;
  std::vector<FramePiece> pair;
  bool trims_offsets = false;
  bool prefix_space_added = false;
};

// From tokenizer.json's "post_processor", which may be null. Throws ErrorCode::bad_model for what
// is not known here.
PostProcessing read_post_processor(const Json& json);

}  // namespace headroom
