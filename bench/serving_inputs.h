// What the serving simulation is fed with, all of it measured: the latency table, how real work
// scatters around it, the lengths of real texts, and the accuracy at each budget.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "budget/latency_table.h"
#include "engine/model.h"

namespace headroom {

struct ServingInputs {
  LatencyTable table;
  std::vector<double> slowdowns;  // quantiles of time over the table's median, ascending
  std::vector<int64_t> lengths;   // tokens, of the texts of a test set
  std::vector<std::pair<double, double>> scores;  // budget, accuracy; ascending

  int64_t longest() const;
  double accuracy(double budget) const;  // linear between the budgets that were scored
  double mean_ms(double budget) const;   // of a text, scatter included
};

// `workers` threads classify the texts' lengths at all budgets of the table for `seconds`.
std::vector<double> measure_slowdowns(const std::shared_ptr<const EngineModel>& model,
                                      const LatencyTable& table,
                                      const std::vector<int64_t>& lengths, int workers,
                                      double seconds);

Json to_json(const ServingInputs& inputs);
ServingInputs serving_inputs_from_json(const Json& json);

}  // namespace headroom
