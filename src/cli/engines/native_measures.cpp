#include "cli/engines/native_measures.h"

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/interrupt.h"
#include "cli/engines/native_scoring.h"
#include "data/measures.h"

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

}  // namespace

std::vector<BudgetScore> measure_rows(Session& session, const EncodedDataset& rows,
                                      const std::vector<double>& budgets) {
  const ModelConfig& config = session.model().config();
  const std::vector<int64_t> lengths = text_lengths(rows);
  std::vector<BudgetScore> scores;
  std::vector<RowOutputs> outputs;
  for (const double budget : budgets) {
    RowOutputs& found = outputs.emplace_back(static_cast<size_t>(rows.size()));
    append_texts(session, rows, budget, found);
    for (const EncodedDataset& partner : rows.partners) {
      append_texts(session, partner, budget, found);
    }
    const Measured measured =
        measure_outputs(config.task, rows, found, {config.labels, config.output.thresholds});
    BudgetScore score = cost_score(config.shape, config.selection(budget), budget, lengths);
    score.measure = Measure::named;
    score.measures = measured.values;
    score.loss = measured.loss;
    score.examples = measured.examples;
    scores.push_back(std::move(score));
  }
  const auto full = std::find_if(budgets.begin(), budgets.end(), [](double b) { return b >= 1; });
  for (size_t i = 0; i < outputs.size() && full != budgets.end(); ++i) {
    add_agreement(config.task, outputs[i], outputs[static_cast<size_t>(full - budgets.begin())],
                  scores[i].measures);
  }
  return scores;
}

}  // namespace headroom
