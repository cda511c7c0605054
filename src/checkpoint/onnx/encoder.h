// The encoder as an ONNX graph, with only the heads and neurons that are alive.
#pragma once

#include <string>

#include "budget/selection.h"
#include "checkpoint/onnx/layers.h"

namespace headroom {

// Reads the graph's inputs; returns the name of the last layer's rows (batch, sequence, width), and
// leaves "key_bias", which is far below 0 where a token is padding.
std::string add_encoder(OnnxLayers& layers, const Selection& selection);

}  // namespace headroom
