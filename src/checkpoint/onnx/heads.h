// What a model answers with, as the end of an ONNX graph: logits, those of every token, or a
// vector.
#pragma once

#include <string>

#include "checkpoint/onnx/layers.h"

namespace headroom {

// `rows` is what add_encoder() returned. Adds the graph's output.
void add_head(OnnxLayers& layers, const std::string& rows, const ScoreCalibration& calibration);

}  // namespace headroom
