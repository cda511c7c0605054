// Which rows a training run reads, and how they become tokens.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include "checkpoint/config.h"

namespace headroom {
inline namespace train {

inline constexpr int most_tokens = 4096;  // a checkpoint to start from has its own limit
inline constexpr const char* set_aside =
    "split";  // as validation data: a part of the training rows

// Which part of texts that are too long a model reads; `automatic` looks at the rows.
enum class TruncationChoice { automatic, head, tail, head_tail };
inline constexpr auto truncation_choice_table = enum_table<TruncationChoice>(
    "truncation", {{TruncationChoice::automatic, "auto"},
                   {TruncationChoice::head, kept_part_table.name(KeptPart::head)},
                   {TruncationChoice::tail, kept_part_table.name(KeptPart::tail)},
                   {TruncationChoice::head_tail, kept_part_table.name(KeptPart::head_tail)}});
constexpr const auto& table_of(TruncationChoice) {
  return truncation_choice_table;
}

struct TaskRequest {
  Task task = Task::classify;
  std::string data;       // SPEC of the training rows; synthetic: "synthetic?..." or empty
  std::string eval_data;  // SPEC of the test rows; empty: none
  // SPEC of the validation rows, or set_aside; empty: train/rows/validation_data.h chooses.
  std::string validation_data = set_aside;
  std::filesystem::path data_dir;
  int max_tokens = 64;                                   // special tokens included
  TruncationChoice truncation = TruncationChoice::head;  // classify, multilabel and regress
  TokenizerKind tokenizer = TokenizerKind::word;
  bool cased = false;           // wordpiece: keep capitals and accents
  bool letter_case = true;      // tag: tell capitals by token types where the vocabulary has none
  int vocabulary_size = 20000;  // most tokens kept, special ones included
  int min_count = 2;            // a word must be seen this often
  int64_t train_rows = 0;       // 0: all; otherwise a class-balanced sample
  int64_t validation_rows = 0;  // 0: a tenth, at most 2,000
  uint64_t max_memory = 0;      // bytes that rows may take; 0: what is available
  int64_t patch = 4;            // images: side of a patch, in pixels
  int64_t augment = 2;          // images: pixels that training moves them by, either way
  uint64_t split_seed = 1;      // of the validation split, apart from the training seed

  // Rows, or queries of a ranking, to set aside of `rows`. The weight of BM25 in a ranker's scores
  // is fitted on these queries: a tenth of Cranfield's 150 says too little about it.
  int64_t validation_count(int64_t rows) const {
    if (validation_rows > 0) return validation_rows;
    const int64_t least = task == Task::rerank ? std::min<int64_t>(rows / 3, 50) : 1;
    return std::clamp<int64_t>(rows / 10, std::max<int64_t>(least, 1), 2000);
  }
};

}  // namespace train
}  // namespace headroom
