// What an adaptive model's choices on test rows show, as JSON: cost in three accountings, the share
// s by class and by difficulty, training curves, attention maps of one text.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "train/evaluate/choice.h"

namespace headroom {

// Accuracy and costs at one budget: whole heads with projections skipped (`macs_fraction`), and the
// accounting that fits the published savings (`published_fraction`).
Json choice_point(const ModelShape& shape, double budget, const ChoiceEvaluation& result);

// Mean and standard deviation of s, layers x classes.
Json shares_by_class(const ChoiceEvaluation& result, int64_t classes);

// s against the loss of a separately trained dense model on the same rows: rank correlation with
// and without length held fixed, and means in thirds of that loss.
Json shares_by_difficulty(const ChoiceEvaluation& result, const torch::Tensor& dense_loss);

// The validation lines of a training log.
Json validation_curve_of(const std::string& log);

// Who attends to whom in one text, every head of every layer, most relevant first.
Json attention_maps(const ElasticModel& model, const std::vector<Batch>& batches);

// Bytes of activations at the peak of one batch of rows on the CPU: all heads, and chosen ones.
Json measure_memory(const ElasticModel& model, const Batch& batch);

}  // namespace headroom
