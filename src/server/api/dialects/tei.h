// The routes of Hugging Face's Text Embeddings Inference: POST /predict, /embed and /rerank, and
// GET /health. Its /info is ours with its keys (server/api/info.h). Of ours, "model", "budget" and
// "latency_ms" may be named too.
#pragma once

#include "server/api/call.h"

namespace headroom::server {

// What TEI's GET /info tells of a model: model_id, model_dtype, model_type, max_input_length.
Json tei_model_facts(const ServedModel& model);

// `backend` outlives the routes.
std::vector<Route> tei_routes(Backend& backend, const CallLimits& limits);

}  // namespace headroom::server
