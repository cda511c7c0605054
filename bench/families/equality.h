// Models of Hugging Face beside what Transformers computed with them: tokens, and outputs of our
// engine in every instruction set, of libtorch, of the model exported and imported again, and of
// its ONNX file in ONNX Runtime.
#pragma once

#include <filesystem>

#include "base/json.h"

namespace headroom {

// One object for each folder below `models` that has an expected.json, in alphabetical order: how
// many texts there are, how many of them have other tokens than Transformers', and the largest
// differences of fp32 outputs. `program` is headroom, which writes the ONNX files;
// `peers` is where ONNX Runtime is installed.
Json compare_with_transformers(const std::filesystem::path& models,
                               const std::filesystem::path& program,
                               const std::filesystem::path& peers);

}  // namespace headroom
