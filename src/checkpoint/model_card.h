// README.md of a checkpoint: what the model is, how it scores at each budget, how it was made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "budget/ladder/policy.h"
#include "checkpoint/config.h"

namespace headroom {

struct ModelCard {
  struct Row {
    double budget = 1;
    std::string result;  // "92.10 %"
    double active_heads = 1;
    double active_ffn = 1;
    double macs_fraction = 1;
  };
  std::string data;                   // what it was trained on
  std::vector<std::string> licences;  // of the known sets among it: "agnews: ..."
  std::string start;                  // the checkpoint it started from; empty: fresh weights
  std::string recipe;                 // "3 dense epochs, 4 nested epochs, batch 64, ..."
  std::string measure = "accuracy";   // what the results are
  std::string scored_on;              // "test", "validation"
  std::optional<Policy> policy;       // stored beside it
  uint64_t seed = 1;
  int64_t steps = 0;
  std::vector<Row> rows;
};

std::string write_model_card(const ModelConfig& config, const ModelCard& card);

}  // namespace headroom
