#include "budget/score.h"

#include "budget/cost.h"

namespace headroom {

Json to_json(const BudgetScore& score) {
  Json json;
  json["budget"] = score.budget;
  json["accuracy"] = score.accuracy;
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

BudgetScore cost_score(const ModelShape& shape, const Selection& selection, double budget,
                       const std::vector<int64_t>& lengths) {
  const Cost dense = mean_cost(shape, all_heads(shape.layers, shape.heads), lengths);
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

}  // namespace headroom
