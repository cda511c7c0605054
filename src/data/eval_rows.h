// The rows a finished model is scored on, as its own tokenizer encodes them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/encoded.h"

namespace headroom {

// Rows of the data SPEC for a model of `task`, whose labels must be among `labels`. Throws
// ErrorCode::usage without a SPEC, ErrorCode::bad_data for rows that do not fit.
EncodedDataset eval_rows(const std::string& spec, const std::filesystem::path& data_dir,
                         const std::vector<std::string>& labels, const Tokenizer& tokenizer,
                         int max_tokens, Task task = Task::classify);

// The synthetic task makes its own: from "synthetic?..." or, empty, its defaults. Throws
// ErrorCode::usage when its rows are longer than `max_tokens`.
EncodedDataset synthetic_eval_rows(const std::string& spec, int max_tokens);

// Only "synthetic" with its options; anything else is ErrorCode::usage.
SyntheticTask parse_synthetic(const std::string& spec);

// Rows of the synthetic task are pure functions of (seed, index): other seeds, disjoint parts.
EncodedDataset synthetic_validation_rows(const SyntheticTask& task);
EncodedDataset synthetic_test_rows(const SyntheticTask& task);

}  // namespace headroom
