#include "cli/engines/native_measures.h"

#include <algorithm>
#include <map>
#include <span>

#include "base/error.h"
#include "base/interrupt.h"
#include "budget/cost.h"
#include "budget/fraction.h"
#include "cli/engines/native_scoring.h"
#include "data/measures.h"
#include "engine/answers/rank_rounds.h"

namespace headroom {
namespace {

constexpr size_t texts_a_call = 256;  // between looks at the interrupt flag

// What an answer says, as measures read it.
void append_outputs(const Answer& answer, Task task, std::vector<float>& row) {
  const OutputForm form = traits(task).output;
  if (form == OutputForm::score) row.push_back(static_cast<float>(answer.score));
  if (form == OutputForm::vector) {
    row.insert(row.end(), answer.embedding.begin(), answer.embedding.end());
  }
  if (form == OutputForm::labels || form == OutputForm::tags) {
    for (const double score : answer.scores) row.push_back(static_cast<float>(score));
  }
}

void append_texts(Session& session, const EncodedDataset& texts, double budget, RowOutputs& rows) {
  const Task task = session.model().config().task;
  const std::vector<Tokens> inputs = inputs_of(texts);
  const std::span<const Tokens> all = inputs;
  for (size_t begin = 0; begin < inputs.size(); begin += texts_a_call) {
    if (interrupt_requested()) throw Error(ErrorCode::interrupted, "score rows", "stopped");
    const size_t count = std::min(texts_a_call, inputs.size() - begin);
    const std::vector<Answer> answers = session.run(all.subspan(begin, count), Budget{budget});
    for (size_t i = 0; i < count; ++i) append_outputs(answers[i], task, rows[begin + i]);
  }
}

BudgetScore score_at(Session& session, const EncodedDataset& rows, double budget,
                     const std::vector<int64_t>& lengths, RowOutputs& found) {
  const ModelConfig& config = session.model().config();
  append_texts(session, rows, budget, found);
  for (const EncodedDataset& partner : rows.partners) append_texts(session, partner, budget, found);
  return cost_score(config.shape, config.selection(budget), budget, lengths);
}

// Rows of a query are its candidates.
BudgetScore score_rounds(Session& session, const EncodedDataset& rows,
                         const std::vector<int64_t>& lengths, RowOutputs& found) {
  const ModelConfig& config = session.model().config();
  const std::vector<Tokens> inputs = inputs_of(rows);
  std::map<int32_t, std::vector<size_t>> queries;
  for (size_t i = 0; i < inputs.size(); ++i) queries[rows.groups[i]].push_back(i);
  BudgetScore score = spent_score(config, /*automatic=*/true, lengths);
  for (const auto& [query, numbers] : queries) {
    if (interrupt_requested()) throw Error(ErrorCode::interrupted, "score rows", "stopped");
    std::vector<Tokens> pairs;
    for (const size_t i : numbers) pairs.push_back(inputs[i]);
    const std::vector<Answer> answers = rank_pairs(session, pairs, {.automatic = true});
    for (size_t i = 0; i < numbers.size(); ++i) {
      append_outputs(answers[i], config.task, found[numbers[i]]);
      add_spent(session.model(), answers[i], 1 / static_cast<double>(inputs.size()), score);
    }
  }
  score.model_macs_fraction = score.model_macs / mean_dense_cost(config.shape, lengths).model_macs;
  return score;
}

}  // namespace

std::vector<BudgetScore> measure_rows(Session& session, const EncodedDataset& rows,
                                      const std::vector<Budget>& budgets, ProgressSink& progress) {
  const ModelConfig& config = session.model().config();
  const std::vector<int64_t> lengths = text_lengths(rows);
  ProgressUpdate update;
  update.stage = "scoring";
  update.unit = "rows";
  update.total = rows.size() * static_cast<int64_t>(budgets.size());
  std::vector<BudgetScore> scores;
  std::vector<RowOutputs> outputs;
  for (const Budget& budget : budgets) {
    RowOutputs& found = outputs.emplace_back(static_cast<size_t>(rows.size()));
    BudgetScore score = budget.automatic ? score_rounds(session, rows, lengths, found)
                                         : score_at(session, rows, budget.fraction, lengths, found);
    const Measured measured =
        measure_outputs(config.task, rows, found, {config.labels, config.output.thresholds});
    score.measure = Measure::named;
    score.measures = measured.values;
    score.loss = measured.loss;
    score.examples = measured.examples;
    scores.push_back(std::move(score));
    update.done += rows.size();
    update.detail = "budget " + spending_name(budget);
    progress.update(update);
  }
  const auto full = std::find_if(budgets.begin(), budgets.end(), [](const Budget& budget) {
    return !budget.automatic && budget.fraction >= 1;
  });
  for (size_t i = 0; i < outputs.size() && full != budgets.end(); ++i) {
    add_agreement(config.task, outputs[i], outputs[static_cast<size_t>(full - budgets.begin())],
                  scores[i].measures);
  }
  return scores;
}

}  // namespace headroom
