// Made-up reviews, a small training on them, and what its checkpoint says.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/random.h"
#include "train/evaluate/checkpoint.h"
#include "train/train_model.h"

namespace headroom::testing {

// Rows whose one telling word gives the label away, among words that say nothing.
inline std::string reviews(int rows, uint64_t seed) {
  const std::vector<std::string> praise = {"great", "lovely", "superb"};
  const std::vector<std::string> blame = {"awful", "dull", "poor"};
  const std::vector<std::string> noise = {"the", "film", "was", "a", "story", "with", "actors"};
  Random random{seed};
  std::string csv = "label,text\n";
  for (int i = 0; i < rows; ++i) {
    const bool good = i % 2 == 0;
    std::vector<std::string> words = {(good ? praise : blame)[random.below(3)]};
    const uint64_t others = 2 + random.below(5);
    for (uint64_t n = 0; n < others; ++n) words.push_back(noise[random.below(noise.size())]);
    random.shuffle(words);
    csv += good ? "good," : "bad,";
    for (const std::string& word : words) csv += word + " ";
    csv += "\n";
  }
  return csv;
}

inline std::string spec_of(const std::filesystem::path& csv) {
  return "csv:" + csv.string() + "?header=1&label=label&text=text";
}

inline TrainRequest request_for(const std::filesystem::path& csv,
                                const std::filesystem::path& out) {
  TrainRequest request;
  request.task.data = spec_of(csv);
  request.task.max_tokens = 12;
  request.shape = {.layers = 2, .width = 16, .heads = 4, .ffn = 32};
  request.recipe.batch_size = 16;
  request.recipe.dropout = 0.1;  // the default suits wider models
  request.recipe.dense_epochs = 5;
  request.recipe.soft_epochs = 4;
  request.recipe.hard_epochs = 2;
  request.recipe.dense_rate = request.recipe.soft_rate = request.recipe.hard_rate = 3e-3;
  request.out = out;
  request.threads = 1;
  request.budgets = {0.5, 1.0};
  return request;
}

inline TrainReport train_quietly(const TrainRequest& request) {
  SilentProgress silent;
  return train_model(request, silent);
}

inline std::vector<BudgetScore> evaluate_at(const std::filesystem::path& model,
                                            const std::string& data, std::vector<double> budgets) {
  EvalRequest request;
  request.model = model;
  request.data = data;
  request.budgets = std::move(budgets);
  request.threads = 1;
  return evaluate_checkpoint(request);
}

inline bool same_model(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto bytes = [](const std::filesystem::path& folder, const char* file) {
    return read_file(folder / file, ErrorCode::bad_data);
  };
  return bytes(a, "model.safetensors") == bytes(b, "model.safetensors") &&
         bytes(a, "config.json") == bytes(b, "config.json");
}

}  // namespace headroom::testing
