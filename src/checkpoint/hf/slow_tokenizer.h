// tokenizer.json for folders that have none, made of the files of Transformers' older tokenizers
// the way Transformers converts them: vocab.json with merges.txt, a SentencePiece model, or MPNet's
// vocab.txt.
#pragma once

#include <string>

#include "checkpoint/hf/folder.h"

namespace headroom {

// Empty where the folder has no such files. Throws ErrorCode::bad_model when they are damaged or of
// a tokenizer that is not known here.
std::string convert_slow_tokenizer(const HfFolder& folder);

}  // namespace headroom
