// Stands in for onnx_writer.cpp where CMake did not find the onnx library.
#include "base/error.h"
#include "checkpoint/onnx/writer.h"

namespace headroom {

std::string onnx_model(const std::filesystem::path& /*checkpoint*/, double /*budget*/,
                       OnnxPrecision /*precision*/) {
  throw Error(ErrorCode::usage, "write ONNX",
              "this build has no ONNX; install libonnx-dev, configure and build again");
}

}  // namespace headroom
