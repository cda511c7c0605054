// What an adaptive model's choices on test rows show, as records: cost in three accountings, the
// share s by class and by difficulty, training curves, attention maps of one text.
#pragma once

#include <string>
#include <vector>

#include "experiments/record/record.h"
#include "train/evaluate/choice.h"

namespace headroom::experiments::adaptive {

// Accuracy and costs at one budget: whole heads with projections skipped (`macs_fraction`), and the
// accounting that fits the published savings (`published_fraction`).
Point choice_point(const ModelShape& shape, double budget, const ChoiceEvaluation& result);

// Mean and standard deviation of s, layers x classes.
ClassShares shares_by_class(const ChoiceEvaluation& result, int64_t classes);

// s against the loss of a separately trained dense model on the same rows: rank correlation with
// and without length held fixed, and means in thirds of that loss.
Difficulty shares_by_difficulty(const ChoiceEvaluation& result, const torch::Tensor& dense_loss);

// The validation lines of a training log.
std::vector<CurvePoint> validation_curve_of(const std::string& log);

// Who attends to whom in one text, every head of every layer, most relevant first.
AttentionMaps attention_maps(const ElasticModel& model, const std::vector<Batch>& batches);

// Bytes of activations at the peak of one batch of rows on the CPU: all heads, and chosen ones.
PeakMemory measure_memory(const ElasticModel& model, const Batch& batch);

}  // namespace headroom::experiments::adaptive
