// What every family costs, one text on one thread, beside ONNX Runtime in the same rounds; and how
// much of it a budget of 0.5 takes.
#pragma once

#include <filesystem>

#include "base/json.h"

namespace headroom {

// One object a family, of a model with random weights: milliseconds that the thread computed, and
// the median over rounds of their ratios. `program` is headroom, which writes the ONNX files;
// `peers` is where ONNX Runtime is installed.
Json time_families(const std::filesystem::path& program, const std::filesystem::path& peers,
                   int rounds);

}  // namespace headroom
