// Accuracy and cost of one checkpoint at one budget, as eval tells them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/measure/named_measure.h"
#include "budget/selection.h"
#include "budget/shape.h"

namespace headroom {

// What a task is scored by.
enum class Measure { accuracy, perplexity, bleu, named };

struct BudgetScore {
  double budget = 1;       // of an automatic one the mean that was spent
  bool automatic = false;  // --budget auto
  double accuracy = 0;     // 0 to 1
  double loss = 0;
  int64_t examples = 0;  // labels, tokens or sentences
  Measure measure = Measure::accuracy;
  double bleu = 0;                          // 0 to 100, of translations
  std::vector<NamedMeasure> measures = {};  // Measure::named; the first is the one that counts
  double active_heads = 1;                  // fraction
  double active_ffn = 1;                    // fraction
  double attention_macs = 0;                // mean per example, at the examples' own lengths
  double model_macs = 0;
  double model_macs_fraction = 1;  // of dense
  int64_t parameters = 0;

  double perplexity() const;  // per token
};

// What the task is judged by, as a number: accuracy, perplexity, BLEU or the first named measure.
double headline(const BudgetScore& score);

// As people read it: "accuracy" and "92.10 %", "perplexity" and "4.71", "BLEU" and "35.20", "f1"
// and "0.9012".
std::string measure_title(const BudgetScore& score);
std::string measured(const BudgetScore& score);

// "0.5"; of an automatic budget with the mean that was spent, "auto (0.312)".
std::string budget_title(const BudgetScore& score);

// The costs of a selection on inputs of these lengths; accuracy, loss and examples are the
// caller's.
BudgetScore cost_score(const ModelShape& shape, const Selection& selection, double budget,
                       const std::vector<int64_t>& lengths);

// The costs of a model that chose `heads` heads, over all layers, for each input.
BudgetScore choice_score(const ModelShape& shape, double budget, const std::vector<int64_t>& heads,
                         const std::vector<int64_t>& lengths);

Json to_json(const BudgetScore& score);

// Reads what to_json wrote; throws ErrorCode::bad_model about what is missing or out of range.
BudgetScore budget_score_from_json(const Json& json);

}  // namespace headroom
