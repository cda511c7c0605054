#include "tune/promise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "tune/bounds.h"

namespace headroom {
namespace {

// What a row loses (disagreement, accuracy) or spends (budgets) under a ladder.
std::vector<double> outcomes(const LadderCandidate& ladder, const ScoredRows& rows,
                             Promise promise) {
  const std::vector<size_t> last = last_rungs(rows, ladder);
  std::vector<double> values;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (promise != Promise::mean_budget) {
      const Loss loss = promise == Promise::agreement ? Loss::disagreement : Loss::accuracy;
      values.push_back(loss_of(rows, loss, ladder.budgets[last[row]], row));
      continue;
    }
    double spent = 0;
    for (size_t rung = 0; rung <= last[row]; ++rung) {
      spent += rows.at_budgets[ladder.budgets[rung]].budget;
    }
    values.push_back(spent);
  }
  return values;
}

bool proved(const LadderCandidate& ladder, const ScoredRows& rows, Promise promise, double promised,
            double certainty) {
  if (promise != Promise::mean_budget && ladder.budgets.size() == 1)
    return true;  // it is the model
  const std::vector<double> values = outcomes(ladder, rows, promise);
  if (promise == Promise::agreement) {
    const auto failures = std::count(values.begin(), values.end(), 1.0);
    return binomial_tail(failures, static_cast<int64_t>(values.size()), 1 - promised) <=
           1 - certainty;
  }
  if (promise == Promise::max_loss) return mean_at_most(values, -1, 1, promised, certainty);
  double all = 0;
  for (const size_t budget : ladder.budgets) all += rows.at_budgets[budget].budget;
  return mean_at_most(values, 0, all, promised, certainty);
}

}  // namespace

void check_promise(Promise promise, double promised, double certainty, const ScoredRows& checked) {
  const auto require = [](bool right, const std::string& complaint) {
    if (!right) throw Error(ErrorCode::usage, "tune", complaint);
  };
  require(certainty > 0.5 && certainty < 1,
          fmt::format("--certainty {} is not between 0.5 and 1", certainty));
  if (promise == Promise::agreement) {
    require(promised > 0 && promised < 1,
            fmt::format("--agreement {} is not between 0 and 1", promised));
  } else if (promise == Promise::max_loss) {
    require(promised > 0 && promised < 1,
            fmt::format("--max-loss {} is not between 0 and 1", promised));
    require(checked.labelled(),
            "--max-loss is about accuracy and needs rows with labels; without "
            "them promise --agreement");
  } else {
    require(promised > 0 && promised <= 1,
            fmt::format("--mean-budget {} is not above 0 and at most 1", promised));
  }
}

size_t rows_to_prove(Promise promise, double promised, double certainty) {
  if (promise != Promise::agreement) return 0;
  return static_cast<size_t>(std::ceil(std::log(1 - certainty) / std::log(promised)));
}

AgreementPlan plan_agreement(size_t rows, double certainty) {
  const size_t half = rows - rows / 2;
  for (const double promised : {0.99, 0.98, 0.97}) {
    for (size_t held_back = half; 3 * held_back <= 2 * rows; ++held_back) {
      const double chance = binomial_tail(4, static_cast<int64_t>(held_back), 1 - promised);
      if (chance <= 1 - certainty) return {promised, held_back};
    }
  }
  return {0.97, half};
}

void require_rows(Promise promise, double promised, double certainty, const ScoredRows& checked) {
  const size_t needed = rows_to_prove(promise, promised, certainty);
  if (checked.size() >= needed) return;
  throw Error(ErrorCode::target_unreachable, "tune",
              fmt::format("--agreement {} takes at least {} rows held back to prove, and there are "
                          "{}: give more rows, or promise less",
                          promised, needed, checked.size()));
}

LadderCandidate full_model(const ScoredRows& rows) {
  LadderCandidate full;
  full.budgets = {rows.at_budgets.size() - 1};
  return full;
}

LadderCandidate keep_promise(std::vector<LadderCandidate> candidates, const ScoredRows& checked,
                             Promise promise, double promised, double certainty) {
  // Candidates come with ascending losses and falling costs: the safest is the one that loses
  // least, or spends least.
  if (promise == Promise::mean_budget) {
    std::reverse(candidates.begin(), candidates.end());
  } else if (candidates.front().budgets.size() > 1) {
    candidates.insert(candidates.begin(), full_model(checked));
  }
  const auto failed =
      std::find_if(candidates.begin(), candidates.end(), [&](const LadderCandidate& ladder) {
        return !proved(ladder, checked, promise, promised, certainty);
      });
  if (failed == candidates.begin()) {
    throw Error(ErrorCode::target_unreachable, "tune",
                fmt::format("no ladder keeps {} {} on {} rows held back with certainty {}: promise "
                            "less, or give more rows",
                            promise_table.name(promise), promised, checked.size(), certainty));
  }
  return *(failed - 1);
}

}  // namespace headroom
