#include "cli/engines/native_scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.h"
#include "base/interrupt.h"
#include "budget/cost.h"
#include "budget/fraction.h"
#include "data/eval_rows.h"

namespace headroom {
namespace {

constexpr size_t rows_a_call = 256;  // between looks at the interrupt flag

// What the choices of an adaptive model cost takes the place of what they may cost at most.
void set_choice_cost(BudgetScore& score, const BudgetScore& choice) {
  score.active_heads = choice.active_heads;
  score.attention_macs = choice.attention_macs;
  score.model_macs = choice.model_macs;
  score.model_macs_fraction = choice.model_macs_fraction;
  score.parameters = choice.parameters;
}

// Whether what a budget costs shows only when its answers are there.
bool costs_by_answer(const Budget& budget) {
  return budget.automatic || budget.fraction == 0;
}

// Fills in the answers, and of the score what follows from them; returns how many heads ran for
// each row.
std::vector<int64_t> answer_at(Session& session, const Budget& budget,
                               const std::vector<Tokens>& inputs, const std::vector<int32_t>& truth,
                               report::BudgetAnswers& at, ProgressUpdate& update,
                               ProgressSink& progress) {
  std::vector<int64_t> heads;
  const std::span<const Tokens> all = inputs;
  const double share = 1 / static_cast<double>(std::max<size_t>(inputs.size(), 1));
  update.detail = "budget " + spending_name(budget);
  double hits = 0;
  double loss = 0;
  for (size_t begin = 0; begin < inputs.size(); begin += rows_a_call) {
    if (interrupt_requested()) throw Error(ErrorCode::interrupted, "score rows", "stopped");
    const size_t count = std::min(rows_a_call, inputs.size() - begin);
    const auto answers = session.run(all.subspan(begin, count), budget);
    for (size_t i = 0; i < count; ++i) {
      const auto label = static_cast<size_t>(truth[begin + i]);
      const size_t answer = answers[i].label;
      if (costs_by_answer(budget)) add_spent(session.model(), answers[i], share, at.score);
      hits += answer == label ? 1 : 0;
      loss -= std::log(std::max(answers[i].scores[label], 1e-300));
      at.labels.push_back(static_cast<int32_t>(answer));
      at.probabilities.push_back(static_cast<float>(answers[i].scores[answer]));
    }
    const std::vector<int64_t> ran = heads_of(answers, session.model().config().shape);
    heads.insert(heads.end(), ran.begin(), ran.end());
    update.done += static_cast<int64_t>(count);
    progress.update(update);
  }
  at.score.examples = static_cast<int64_t>(inputs.size());
  at.score.accuracy = hits / static_cast<double>(std::max<size_t>(inputs.size(), 1));
  at.score.loss = loss / static_cast<double>(std::max<size_t>(inputs.size(), 1));
  return heads;
}

}  // namespace

BudgetScore spent_score(const ModelConfig& config, bool automatic,
                        const std::vector<int64_t>& lengths) {
  BudgetScore score = cost_score(config.shape, config.everything(), 1, lengths);
  if (!automatic) score.parameters = 0;
  score.automatic = automatic;
  score.budget = score.active_heads = score.active_ffn = 0;
  score.attention_macs = score.model_macs = score.model_macs_fraction = 0;
  return score;
}

// What the rungs that ran cost in all, the bag of n-grams among them.
void add_spent(const EngineModel& model, const Answer& answer, double share, BudgetScore& score) {
  const ModelConfig& config = model.config();
  const std::vector<double> flat = {answer.budget};
  for (const double budget : answer.rungs.empty() ? flat : answer.rungs) {
    const Cost cost = budget == 0 ? Cost{0, model.policy().rung_zero->macs(answer.tokens)}
                                  : cost_of(config.shape, config.selection(budget), answer.tokens);
    score.attention_macs += share * cost.attention_macs;
    score.model_macs += share * cost.model_macs;
  }
  score.budget += share * answer.budget;
  score.active_heads += share * answer.active_heads;
  score.active_ffn += share * answer.active_ffn;
}

void check_budgets(const ModelConfig& config, const std::vector<double>& budgets) {
  for (const double budget : budgets) config.selection(budget);
}

void require_budget(const Session& session, const Budget& budget) {
  session.ladder().require(budget);
  if (!costs_by_answer(budget)) check_budgets(session.model().config(), {budget.fraction});
}

void require_budgets(const Session& session, const std::vector<Budget>& budgets) {
  const bool ranks = session.model().config().task == Task::rerank;
  for (const Budget& budget : budgets) {
    if (!ranks || !budget.automatic) require_budget(session, budget);
  }
}

std::vector<int64_t> heads_of(const std::vector<Answer>& answers, const ModelShape& shape) {
  std::vector<int64_t> heads;
  heads.reserve(answers.size());
  for (const Answer& answer : answers) {
    heads.push_back(std::llround(answer.active_heads * static_cast<double>(shape.total_heads())));
  }
  return heads;
}

EncodedDataset eval_rows_of(const EngineModel& model, const std::string& data,
                            const std::filesystem::path& data_dir) {
  const ModelConfig& config = model.config();
  const auto max_tokens = static_cast<int>(config.longest_input());
  if (config.task == Task::synthetic) return synthetic_eval_rows(data, max_tokens);
  return eval_rows(data, data_dir, config.labels, model.tokenizer(), max_tokens, config.task);
}

std::vector<report::BudgetAnswers> answer_rows(Session& session, const EncodedDataset& rows,
                                               const std::vector<Budget>& budgets,
                                               ProgressSink& progress) {
  const ModelConfig& config = session.model().config();
  const std::vector<Tokens> inputs = inputs_of(rows);
  std::vector<int64_t> lengths;
  for (const int32_t length : rows.lengths()) lengths.push_back(length);
  ProgressUpdate update;
  update.stage = "scoring";
  update.unit = "rows";
  update.total = static_cast<int64_t>(inputs.size() * budgets.size());
  std::vector<report::BudgetAnswers> answers;
  for (const Budget& budget : budgets) {
    report::BudgetAnswers at;
    at.score = costs_by_answer(budget) ? spent_score(config, budget.automatic, lengths)
                                       : cost_score(config.shape, config.selection(budget.fraction),
                                                    budget.fraction, lengths);
    const std::vector<int64_t> heads =
        answer_at(session, budget, inputs, rows.labels, at, update, progress);
    if (costs_by_answer(budget)) {
      at.score.model_macs_fraction =
          at.score.model_macs / mean_dense_cost(config.shape, lengths).model_macs;
    } else if (config.adaptive() && !inputs.empty()) {
      set_choice_cost(at.score, choice_score(config.shape, budget.fraction, heads, lengths));
    }
    answers.push_back(std::move(at));
  }
  return answers;
}

}  // namespace headroom
