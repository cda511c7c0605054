// What `predict` does with models that answer in text: goes on with a text, or translates it. No
// torch in this header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "checkpoint/config.h"

namespace headroom {
inline namespace train {

struct GenerateSettings {
  int64_t max_new_tokens = 200;
  double temperature = 0.8;  // language models: 0 always takes the likeliest token
  int64_t top_k = 0;         // draw from this many likeliest tokens; 0: from all
  int beam = 4;              // translations; 1: greedy
  uint64_t seed = 1;
};

struct Generated {
  std::string text;  // without the text that it goes on from
  int64_t tokens = 0;
  double milliseconds = 0;
};

class Generator {
 public:
  Generator(const std::filesystem::path& model, double budget, int threads,
            const std::string& device);
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  const ModelConfig& config() const;
  double active_heads() const;

  // A language model keeps what it computed for earlier tokens. It ends when the text is as long as
  // the model reads; of a longer start the end is used. Throws ErrorCode::bad_data when `text` is
  // not UTF-8 or, for a language model, empty.
  Generated generate(const std::string& text, const GenerateSettings& settings) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace train
}  // namespace headroom
