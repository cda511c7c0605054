// Texts with several labels, a number, a judged passage, or a text that belongs to them.
#include "data/targets.h"

#include "checkpoint/make_tokenizer.h"
#include "data/eval_rows.h"
#include "train/rows/split_units.h"
#include "train/rows/truncation_choice.h"
#include "train/rows/validation_data.h"
#include "train/tasks/tasks.h"
#include "train/tasks/text_coding.h"

namespace headroom {
inline namespace train {
namespace {

void set_target_defaults(TrainRequest& request) {
  request.method = Method::nested;
}

void set_rerank_defaults(TrainRequest& request) {
  request.method = Method::nested;
  request.task.max_tokens = 256;  // a query with an abstract behind it
}

// More pairs a batch are more negatives for each.
void set_embed_defaults(TrainRequest& request) {
  request.method = Method::nested;
  request.recipe.batch_size = 64;
}

// The rows of these queries, or these rows where there are no queries.
TargetDataset pick_rows(const TargetDataset& all, Task task, const std::vector<int32_t>& numbers) {
  TargetDataset part = all;
  part.rows.clear();
  if (task != Task::rerank) {
    for (const int32_t number : numbers) part.rows.push_back(all.rows[static_cast<size_t>(number)]);
    return part;
  }
  std::vector<bool> picked(static_cast<size_t>(all.groups));
  for (const int32_t number : numbers) picked[static_cast<size_t>(number)] = true;
  for (const TargetRow& row : all.rows) {
    if (picked[static_cast<size_t>(row.group)]) part.rows.push_back(row);
  }
  return part;
}

// Rows to choose by are as those of a request: candidates alone.
TargetDataset candidates_of(TargetDataset rows) {
  std::erase_if(rows.rows, [](const TargetRow& row) { return row.missed; });
  return rows;
}

TaskData load_target_task(const TaskRequest& request, const TextCoding* fixed) {
  const Task task = request.task;
  require_data(request, task == Task::rerank ? "qrels:JUDGEMENTS,QUERIES,DOCUMENTS, csv:FILE, "
                                               "jsonl:FILE or cranfield"
                                             : "csv:FILE, tsv:FILE, jsonl:FILE or a known name");
  const TargetDataset all = load_targets(request.data, request.data_dir, task, TargetUse::train,
                                         nullptr, request.max_memory);
  const int64_t units = task == Task::rerank ? all.groups : static_cast<int64_t>(all.rows.size());
  const std::string official = validation_spec(request);
  const SplitIndices split = split_units(units, request, official);
  const TargetDataset train = pick_rows(all, task, split.train);
  TaskData data;
  data.task = task;
  data.name = all.name;
  data.validation_name = official;
  data.labels = all.labels;
  if (task == Task::regress || task == Task::rerank) data.labels = {"score"};
  data.max_tokens = request.max_tokens;
  set_coding(data, fixed, request, [&](const TakeText& take) {
    for (const TargetRow& row : train.rows) {
      for (const std::string& text : row.texts) take(text);
    }
  });
  const auto tokenizer = make_tokenizer(data.tokenizer, data.lower_case, *data.vocabulary);
  if (answers_whole_text(task)) {
    const auto text = [&](size_t row) { return std::string_view(train.rows[row].texts[0]); };
    choose_truncation(request, fixed, {train.rows.size(), text, all.texts_a_row > 1}, *tokenizer,
                      data);
  }
  data.train = encode_targets(train, task, *tokenizer, request.max_tokens);
  const auto load = [&](const std::string& spec) {
    return load_targets(spec, request.data_dir, task, TargetUse::score, &all.labels,
                        request.max_memory);
  };
  const TargetDataset validation =
      official.empty() ? candidates_of(pick_rows(all, task, split.validation)) : load(official);
  data.validation = encode_targets(validation, task, *tokenizer, request.max_tokens);
  if (!request.eval_data.empty()) {
    data.test = encode_targets(load(request.eval_data), task, *tokenizer, request.max_tokens);
  }
  return data;
}

EncodedDataset load_scored_targets(const EvaluationData& rows) {
  return eval_rows(rows.data, rows.data_dir, rows.config.labels, rows.tokenizer,
                   static_cast<int>(rows.config.longest_input()), rows.config.task);
}

}  // namespace

const TaskDefinition target_task = {set_target_defaults, load_target_task, load_scored_targets,
                                    nullptr};
const TaskDefinition rerank_task = {set_rerank_defaults, load_target_task, load_scored_targets,
                                    nullptr};
const TaskDefinition embed_task = {set_embed_defaults, load_target_task, load_scored_targets,
                                   nullptr};

}  // namespace train
}  // namespace headroom
