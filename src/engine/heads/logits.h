// What heads share: a last matrix, finite logits, and probabilities of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/heads/head.h"
#include "engine/packed_matrix.h"

namespace headroom {

// y = x W + b, for the input's rows.
void apply_linear(const HeadInput& input, const PackedMatrix& matrix, const Activation& x,
                  const Activation& y);

// The same, its first `width` columns to `outputs` without gaps.
void write_outputs(const HeadInput& input, const PackedMatrix& matrix, const Activation& x,
                   int64_t width, float* outputs);

// Throws ErrorCode::bad_model for NaN and infinity.
void require_finite(std::span<const float> outputs);

// Appends softmax(logits / temperature).
void append_softmax(std::span<const float> logits, double temperature,
                    std::vector<double>& probabilities);

double sigmoid(double logit);

}  // namespace headroom
