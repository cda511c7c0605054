// `predict` over files of any length in constant memory: batches of what has arrived, answers in
// order, and a place to go on from after every one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/bulk/answer_lines.h"
#include "cli/bulk/shard.h"
#include "cli/engines/engine.h"

namespace headroom {

struct BulkRequest {
  TextInputs inputs;
  std::string data_dir;  // of data SPECs
  AnswerForm form;
  std::string out;         // a file for the answers; empty: standard output
  std::string out_dir;     // or a folder of shards; what is in it is always gone on with
  bool resume = false;     // go on with what is in `out`
  uint64_t from_byte = 0;  // of the only file; a line begins there
  std::optional<Shard> shard;
  Json job;  // everything else that the answers follow from: model, budget, precision
};

// Throws ErrorCode::usage for requests that contradict themselves: before a model is loaded.
void check_bulk_request(const BulkRequest& request);

// Throws ErrorCode::interrupted after Ctrl-C; what was answered is then written, and the message
// says how to go on.
void predict_bulk(const TextEngine& engine, const ModelConfig& config, const BulkRequest& request);

}  // namespace headroom
