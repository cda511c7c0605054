// What can be done to a vector after the model: a prefix of it, and length 1.
#pragma once

#include <cstdint>
#include <vector>

#include "checkpoint/config.h"

namespace headroom {

// To length 1; zeros stay.
void normalise_vector(std::vector<float>& vector);

// Throws ErrorCode::usage unless a model with `config` has vectors of so many dimensions or more.
void check_dimensions(const ModelConfig& config, int64_t dimensions);

// Keeps the first `dimensions` numbers, brought to length 1 where the model normalises.
void shorten_vector(const ModelConfig& config, int64_t dimensions, std::vector<float>& vector);

}  // namespace headroom
