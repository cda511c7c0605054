// The fastest precision whose answers agree with fp32's, found by trying all of them.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "checkpoint/precision_file.h"

namespace headroom {

// Answers agree where no score differs by more than this from fp32's, at any budget tried: a label
// can then only change where two scores are closer than twice that. Of vectors it is one minus
// their cosine, of numbers the difference over the range of fp32's.
inline constexpr double most_difference = 0.02;
inline constexpr double most_vector_difference = 0.001;

// What is not this much faster than fp32 is not worth other bits.
inline constexpr double least_speedup = 1.05;

// Runs inputs of random tokens, which any model reads, at several budgets and all precisions, and
// times one of them. Throws ErrorCode::interrupted after Ctrl-C.
PrecisionChoice choose_precision(const std::filesystem::path& checkpoint, const ModelConfig& config,
                                 ProgressSink& progress);

// How far two answers to the same input are apart; `range` is that of all scores, for numbers.
double answer_difference(OutputForm form, const Answer& a, const Answer& b, double range);

// Whether they say the same: the label, the labels, the label of every token. Numbers and vectors
// always do.
bool same_answer(OutputForm form, const Answer& a, const Answer& b, size_t labels);

}  // namespace headroom
