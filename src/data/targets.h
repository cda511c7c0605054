// Texts whose target is not one class: several labels, a number, a judged passage, or texts whose
// vectors should be near one another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "data/encoded.h"

namespace headroom {

struct TargetRow {
  std::vector<std::string> texts;  // TargetDataset::texts_a_row of them
  std::vector<int32_t> labels;     // multilabel: indices into TargetDataset::labels, any number
  double value = 0;                // a number, a grade, or how alike two texts are
  int32_t group = 0;               // rerank: the query
  double ideal = 0;                // rerank: DCG of the query's best order
  bool missed = false;             // rerank: no candidate, relevant all the same
};

struct TargetDataset {
  std::string name;
  std::vector<TargetRow> rows;
  std::vector<std::string> labels;  // multilabel: their names
  size_t texts_a_row = 1;           // 2: pairs; 3: with a text unlike the first
  bool scored = true;               // embed: rows say how alike their texts are
  int32_t groups = 0;               // rerank: queries
};

// A query's candidates are those that BM25 finds; to train on, also what it misses.
enum class TargetUse { train, score };

// Rows for multilabel, regress, rerank or embed. With `labels` (those of a model) an unknown label
// is an error. Throws ErrorCode::bad_data naming file and line, ErrorCode::usage for a source of
// another task.
TargetDataset load_targets(std::string_view spec, const std::filesystem::path& data_dir, Task task,
                           TargetUse use, const std::vector<std::string>* labels = nullptr,
                           uint64_t max_memory = 0);

// Texts of a row become one input, a pair where there are two; vectors have an input for each.
EncodedDataset encode_targets(const TargetDataset& dataset, Task task, const Tokenizer& tokenizer,
                              int max_tokens);

}  // namespace headroom
