// Classifies texts at a budget with the torch engine. No torch in this header.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/config.h"

namespace headroom {

struct PredictInput {
  std::string text;
  std::string text_pair;
  bool is_pair = false;
};

struct Prediction {
  int64_t label = 0;
  std::vector<double> scores;  // one probability per label
  int64_t tokens = 0;
  double active_heads = 1;  // share of the model's heads that ran
  double milliseconds = 0;  // tokenising and the forward pass
};

class Predictor {
 public:
  Predictor(const std::filesystem::path& model, double budget, int threads,
            const std::string& device);
  ~Predictor();
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  const ModelConfig& config() const;
  double budget() const;

  // Throws ErrorCode::bad_data when a text is not UTF-8.
  Prediction predict(const PredictInput& input) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headroom
