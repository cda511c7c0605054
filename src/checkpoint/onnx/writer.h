// Writes a checkpoint at a budget as an ONNX model, with only the heads and neurons that are alive:
// inputs input_ids, attention_mask and token_type_ids (int64, batch x sequence), output logits (of
// a tagger for every token) or sentence_embedding.
#pragma once

#include <filesystem>
#include <string>

namespace headroom {

enum class OnnxPrecision {
  fp32,
  int8,  // linear layers: weights per output column, activations per call as they come
};

// The bytes of an ONNX model (opset 17). Its logits are calibrated as the engine's are at that
// budget, without BM25. Its metadata has "labels" (a JSON list), "budget", "precision",
// "headroom_version" and, of several labels with thresholds, "thresholds" (a JSON list). Throws
// ErrorCode::bad_model when the checkpoint is missing, damaged or answers no texts,
// ErrorCode::usage for a budget it was not trained for, for another attention than standard, for a
// model larger than the 2 GB an ONNX file can be, and always in a build without the onnx library.
std::string onnx_model(const std::filesystem::path& checkpoint, double budget,
                       OnnxPrecision precision = OnnxPrecision::fp32);

}  // namespace headroom
