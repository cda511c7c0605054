// Which part of long texts a model is trained to read.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "train/rows/task_data.h"

namespace headroom {
inline namespace train {

// From this share of training rows on, --truncation auto reads their ends, too.
inline constexpr double notable_share = 0.05;

struct TextRows {
  size_t count = 0;
  std::function<std::string_view(size_t row)> text;  // of single texts
  bool pairs = false;                                // rows are two texts
};

// Of up to 2,000 rows, spread over all, the share that is longer than `max_tokens`.
double long_share(const TextRows& rows, const Tokenizer& tokenizer, int max_tokens);

// Sets the part of long texts that `tokenizer` keeps, and what `data` says about it. `fixed`, of a
// checkpoint to start from, may have chosen already. Throws ErrorCode::usage where the end of texts
// was asked for and rows are pairs.
void choose_truncation(const TaskRequest& request, const TextCoding* fixed, const TextRows& rows,
                       Tokenizer& tokenizer, TaskData& data);

}  // namespace train
}  // namespace headroom
