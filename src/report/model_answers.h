// What one model said about labelled rows at several budgets, and what its report shows of that.
// Of a task whose rows have no single label there are only the scores.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "budget/score.h"

namespace headroom::report {

struct BudgetAnswers {
  BudgetScore score;
  std::vector<int32_t> labels = {};       // what was answered, a number per row
  std::vector<float> probabilities = {};  // of that answer
};

struct ModelAnswers {
  std::vector<std::string> labels;          // names
  std::vector<int32_t> truth;               // a number per row; none: the task is another
  std::vector<BudgetAnswers> budgets;       // at least one, budgets rising
  std::function<std::string(size_t)> text;  // of a row

  const BudgetAnswers& smallest() const { return budgets.front(); }
  const BudgetAnswers& full() const { return budgets.back(); }
};

// counts[truth][answer]
using Confusion = std::vector<std::vector<int64_t>>;
Confusion confusion(const ModelAnswers& answers, const BudgetAnswers& at);

// HTML: which label is taken for which at the largest and the smallest budget, and how well each
// label is found at every budget.
std::string confusion_section(const ModelAnswers& answers);

// A row whose answer is not the same at every budget.
struct LabelChange {
  size_t row = 0;
  bool right_at_full = false;
  bool right_at_smallest = false;
};
std::vector<LabelChange> label_changes(const ModelAnswers& answers);

// HTML: how many answers change with the budget, and up to `examples` of them; answers that the
// smallest budget spoils or mends come first, in turns, the surest first.
std::string changes_section(const ModelAnswers& answers, size_t examples);

}  // namespace headroom::report
