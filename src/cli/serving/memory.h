// Who gets what of `serve --max-memory`: models, threads, connections and requests.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/serving/options.h"
#include "engine/precision.h"
#include "server/models/served_model.h"
#include "server/models/serving_plan.h"

namespace headroom {

// What is left of --max-memory; 0: there is no limit.
uint64_t memory_left(const ServeOptions& options);

// Before a model is loaded beside others, which all get new sessions: throws ErrorCode::runtime
// when there is no room. What does not fit at the start share_memory() tells.
void require_room(const ServeOptions& options, const server::ModelSource& model,
                  const ModelConfig& config, Precision precision,
                  const std::vector<server::ServedModel>& beside);

// Gives requests what models, threads and connections leave. Throws ErrorCode::runtime when that is
// not enough for one.
void share_memory(ServeOptions& options, const std::vector<server::ServedModel>& models);

// Makes the allocator give back what is freed; `few_arenas` at the cost of threads that wait.
void return_freed_memory(bool few_arenas);

}  // namespace headroom
