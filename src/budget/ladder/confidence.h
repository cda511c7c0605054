// How sure an answer is: its scores after a temperature, and one number in [0, 1] made of them.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/enum_table.h"

namespace headroom {

enum class Confidence { top, margin, entropy, learned };
inline constexpr auto confidence_table = enum_table<Confidence>(
    "confidence", {{Confidence::top, "top", "the highest score"},
                   {Confidence::margin, "margin", "the highest score less the second"},
                   {Confidence::entropy, "entropy", "1 less the scores' entropy over log(labels)"},
                   {Confidence::learned, "learned", "a logistic rule over a few numbers"}});
constexpr const auto& table_of(Confidence) {
  return confidence_table;
}

// softmax(logits / temperature), from the probabilities softmax(logits). 1 changes no bit; the
// order of the scores never changes.
void apply_temperature(std::span<double> scores, double temperature);

// The product of both, `zero` to the power of `weight`, normalised: what two answers say together.
// A weight of 0 changes no bit. Where nothing would be left the scores stay.
void blend(std::span<double> scores, std::span<const double> zero, double weight);

size_t best_label(std::span<const double> scores);  // the first of the highest

// What a rule sees of a text at a rung: a constant, the log-odds of the highest score, the
// log-ratio of the highest to the second, the entropy as above, and of the rung before it (0 on the
// first) whether it gave the same label, and how far its log-odds speak for that label.
inline constexpr size_t rule_size = 6;
using RuleFeatures = std::array<double, rule_size>;
RuleFeatures rule_features(std::span<const double> scores, std::span<const double> previous);

// Of one answer. `previous` are the scores of the rung before it, none on the first; `rule` has
// rule_size weights and is read by Confidence::learned alone.
double confidence_of(Confidence kind, std::span<const double> scores,
                     std::span<const double> previous, std::span<const double> rule);

}  // namespace headroom
