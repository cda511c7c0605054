#include "train/rows/task_texts.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/load.h"
#include "data/split.h"
#include "train/rows/validation_data.h"

namespace headroom {
inline namespace train {
namespace {

// Moves them out: a large set does not fit twice.
TextDataset take_rows(TextDataset& dataset, const std::vector<int32_t>& rows) {
  TextDataset part{dataset.name, {}, dataset.labels, dataset.pairs};
  part.rows.reserve(rows.size());
  for (const int32_t row : rows) {
    part.rows.push_back(std::move(dataset.rows[static_cast<size_t>(row)]));
  }
  return part;
}

constexpr int64_t fewest_premises = 10;  // that validation rows must have, to be split by them

// Pairs that share their first text stay together: seen with another second text in training, a
// premise tells something about its label.
SplitIndices split_rows(const TextDataset& all, const TaskRequest& request) {
  const int64_t count = request.validation_count(static_cast<int64_t>(all.rows.size()));
  if (!all.pairs) return split_stratified(all.row_labels(), count, request.split_seed);
  std::vector<std::string_view> premises;
  std::unordered_map<std::string_view, int64_t> rows_of;
  int64_t largest = 0;
  premises.reserve(all.rows.size());
  for (const TextRow& row : all.rows) {
    premises.push_back(row.text);
    largest = std::max(largest, ++rows_of[row.text]);
  }
  // Where few texts stand first, such as a handful of questions, they are what is asked, not what
  // is learned.
  const bool few = largest * fewest_premises > count;
  return few ? split_stratified(all.row_labels(), count, request.split_seed)
             : split_grouped(premises, count, request.split_seed);
}

}  // namespace

TaskTexts load_task_texts(const TaskRequest& request) {
  if (request.data.empty()) {
    throw Error(ErrorCode::usage, "train",
                "--data is required: csv:FILE, tsv:FILE, jsonl:FILE or a known name");
  }
  TextDataset all = load_text_dataset(request.data, request.data_dir, nullptr, request.max_memory);
  if (request.train_rows > 0) {
    all =
        take_rows(all, sample_stratified(all.row_labels(), request.train_rows, request.split_seed));
  }
  const auto load = [&](const std::string& spec) {
    return load_text_dataset(spec, request.data_dir, &all.labels, request.max_memory);
  };
  TaskTexts texts;
  texts.validation_name = validation_spec(request);
  if (texts.validation_name.empty()) {
    const SplitIndices split = split_rows(all, request);
    texts.train = take_rows(all, split.train);
    texts.validation = take_rows(all, split.validation);
  } else {
    texts.validation = load(texts.validation_name);
    texts.train = all;
  }
  if (!request.eval_data.empty()) texts.test = load(request.eval_data);
  return texts;
}

}  // namespace train
}  // namespace headroom
