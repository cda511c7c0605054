// Answers texts at a budget with the torch engine. No torch in this header.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "checkpoint/config.h"
#include "headroom/types.h"

namespace headroom {
inline namespace train {

class Predictor {
 public:
  Predictor(const std::filesystem::path& model, double budget, int threads,
            const std::string& device);
  ~Predictor();
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  const ModelConfig& config() const;

  // Throws ErrorCode::bad_data when the text is not UTF-8.
  Answer predict(const Text& text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace train
}  // namespace headroom
