// Weights to and from model.safetensors.
#pragma once

#include <filesystem>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/tensors/tensor.h"
#include "model/weights.h"

namespace headroom {

// Reads every tensor the config promises, with exactly its shape; float16 and bfloat16 are widened.
// Throws ErrorCode::bad_model for a missing, unexpected or misshapen tensor, ErrorCode::runtime
// when they do not fit into memory.
ModelWeights load_weights(const std::filesystem::path& directory, const ModelConfig& config);

// Views for write_checkpoint(), valid while `cpu_weights` lives, whose tensors become CPU tensors
// of that type: f32, or bf16 (rounded to nearest, half the bytes).
std::vector<TensorView> tensor_views(ModelWeights& cpu_weights, DType type = DType::f32);

}  // namespace headroom
