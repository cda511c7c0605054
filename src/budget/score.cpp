#include "budget/score.h"

#include <fmt/format.h>

#include <cmath>

#include "budget/cost.h"

namespace headroom {

double BudgetScore::perplexity() const {
  return std::exp(loss);
}

double headline(const BudgetScore& score) {
  if (score.measure == Measure::named) return score.measures[0].value;
  if (score.measure == Measure::bleu) return score.bleu;
  return score.measure == Measure::perplexity ? score.perplexity() : score.accuracy;
}

std::string measure_title(const BudgetScore& score) {
  if (score.measure == Measure::named) return score.measures[0].name;
  if (score.measure == Measure::bleu) return "BLEU";
  return score.measure == Measure::perplexity ? "perplexity" : "accuracy";
}

std::string measured(const BudgetScore& score) {
  if (score.measure == Measure::named) return fmt::format("{:.4f}", score.measures[0].value);
  if (score.measure == Measure::bleu) return fmt::format("{:.2f}", score.bleu);
  if (score.measure == Measure::perplexity) return fmt::format("{:.4g}", score.perplexity());
  return fmt::format("{:.2f} %", 100 * score.accuracy);
}

std::string budget_title(const BudgetScore& score) {
  return score.automatic ? fmt::format("auto ({:.3f})", score.budget)
                         : fmt::format("{}", score.budget);
}

Json to_json(const BudgetScore& score) {
  Json json;
  json["budget"] = score.automatic ? Json("auto") : Json(score.budget);
  if (score.automatic) json["mean_budget"] = score.budget;
  if (score.measure == Measure::accuracy) json["accuracy"] = score.accuracy;
  if (score.measure == Measure::bleu) json["bleu"] = score.bleu;
  if (score.measure == Measure::bleu || score.measure == Measure::perplexity) {
    json["perplexity"] = score.perplexity();
  }
  for (const NamedMeasure& each : score.measures) json[each.name] = each.value;
  json["examples"] = score.examples;
  json["active_heads"] = score.active_heads;
  json["active_ffn"] = score.active_ffn;
  json["attention_macs"] = score.attention_macs;
  json["model_macs"] = score.model_macs;
  json["model_macs_fraction"] = score.model_macs_fraction;
  json["parameters"] = score.parameters;
  json["loss"] = score.loss;
  return json;
}

namespace {

// What to_json() wrote between the budget and the number of examples: accuracy alone, or the
// measures of a task that has others.
void read_measures(const Json& json, const JsonFields& fields, BudgetScore& score) {
  for (const auto& [key, value] : json.items()) {
    if (key == "examples") break;
    if (key != "budget") score.measures.push_back({key, fields.number(key, -1e9, 1e9)});
  }
  if (score.measures.size() == 1 && score.measures[0].name == "accuracy") score.measures.clear();
  if (!score.measures.empty()) {
    score.measure = Measure::named;
  } else {
    score.accuracy = fields.number("accuracy", 0.0, 1.0);
  }
}

}  // namespace

BudgetScore budget_score_from_json(const Json& json) {
  constexpr double most_macs = 1e18;  // far above any model, far below what loses whole numbers
  const JsonFields fields(json, ErrorCode::bad_model, "scores");
  BudgetScore score;
  score.budget = fields.number("budget", 1e-6, 1.0);
  read_measures(json, fields, score);
  score.examples = fields.integer("examples", 1, int64_t{1} << 40);
  score.active_heads = fields.number("active_heads", 0.0, 1.0);
  score.active_ffn = fields.number("active_ffn", 0.0, 1.0);
  score.attention_macs = fields.number("attention_macs", 0.0, most_macs);
  score.model_macs = fields.number("model_macs", 0.0, most_macs);
  score.model_macs_fraction = fields.number("model_macs_fraction", 0.0, 2.0);  // controllers
  score.parameters = fields.integer("parameters", 1, int64_t{1} << 50);
  score.loss = fields.number("loss", 0.0, 1e9);
  return score;
}

BudgetScore cost_score(const ModelShape& shape, const Selection& selection, double budget,
                       const std::vector<int64_t>& lengths) {
  const Cost dense = mean_dense_cost(shape, lengths);
  const Cost cost = mean_cost(shape, selection, lengths);
  BudgetScore score;
  score.budget = budget;
  score.active_heads = selection.active_fraction();
  score.active_ffn = selection.active_ffn(shape.ffn);
  score.attention_macs = cost.attention_macs;
  score.model_macs = cost.model_macs;
  score.model_macs_fraction = cost.model_macs / dense.model_macs;
  score.parameters = parameter_count(shape, selection);
  return score;
}

BudgetScore choice_score(const ModelShape& shape, double budget, const std::vector<int64_t>& heads,
                         const std::vector<int64_t>& lengths) {
  BudgetScore score;
  score.budget = budget;
  int64_t ran = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const Cost cost = cost_of_heads(shape, heads[i], lengths[i]);
    ran += heads[i];
    score.attention_macs += cost.attention_macs;
    score.model_macs += cost.model_macs;
  }
  const auto count = static_cast<double>(lengths.size());
  score.active_heads =
      static_cast<double>(ran) / (count * static_cast<double>(shape.total_heads()));
  score.attention_macs /= count;
  score.model_macs /= count;
  score.model_macs_fraction = score.model_macs / mean_dense_cost(shape, lengths).model_macs;
  score.parameters = parameter_count(shape, all_heads(shape.layers, shape.heads));
  return score;
}

}  // namespace headroom
