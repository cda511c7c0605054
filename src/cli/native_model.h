// What the native verbs share: a model by the precision's name, and inputs that cost what texts
// cost.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "budget/bench_cell.h"
#include "engine/worker.h"

namespace headroom {

inline std::shared_ptr<const EngineModel> load_native(const std::filesystem::path& model,
                                                      const std::string& precision) {
  EngineOptions options;
  options.precision = precision_table.parse(precision);
  return EngineModel::load(model, options);
}

// `batch` inputs of `tokens` random ids each.
inline std::vector<Tokens> random_batch(const ModelShape& shape, int64_t batch, int64_t tokens,
                                        uint64_t seed) {
  const std::vector<int32_t> ids = random_ids(shape.vocabulary, batch * tokens, seed);
  std::vector<Tokens> inputs;
  for (int64_t i = 0; i < batch; ++i) {
    inputs.push_back({{ids.begin() + i * tokens, ids.begin() + (i + 1) * tokens}, {}});
  }
  return inputs;
}

}  // namespace headroom
