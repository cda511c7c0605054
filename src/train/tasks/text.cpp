// Texts, or pairs of texts, with labels.
#include <fmt/format.h>

#include "base/error.h"
#include "checkpoint/make_tokenizer.h"
#include "data/eval_rows.h"
#include "train/rows/task_texts.h"
#include "train/rows/truncation_choice.h"
#include "train/tasks/tasks.h"
#include "train/tasks/text_coding.h"

namespace headroom {
inline namespace train {
namespace {

// --task pair is for pairs, and the other rows are what the training rows are.
void require_pairs(Task task, const TaskTexts& texts) {
  if (task == Task::pair && !texts.train.pairs) {
    throw Error(ErrorCode::bad_data, "load data",
                fmt::format("--task pair needs two texts a row, {} has one: name the second with "
                            "?text_pair=COL",
                            texts.train.name));
  }
  for (const TextDataset* other : {&texts.validation, &texts.test}) {
    if (other->rows.empty() || other->pairs == texts.train.pairs) continue;
    throw Error(
        ErrorCode::bad_data, "load data",
        fmt::format("{} has {} a row, the training rows {}", other->name,
                    other->pairs ? "two texts" : "one text", texts.train.pairs ? "two" : "one"));
  }
}

TaskData load_text_task(const TaskRequest& request, const TextCoding* fixed) {
  const TaskTexts texts = load_task_texts(request);
  require_pairs(request.task, texts);
  TaskData data;
  data.task = texts.train.pairs ? Task::pair : Task::classify;
  data.name = texts.train.name;
  data.validation_name = texts.validation_name;
  data.labels = texts.train.labels;
  data.max_tokens = request.max_tokens;
  set_coding(data, fixed, request, [&](const TakeText& take) {
    for (const TextRow& row : texts.train.rows) {
      take(row.text);
      if (texts.train.pairs) take(row.text_pair);
    }
  });
  const auto tokenizer = make_tokenizer(data.tokenizer, data.lower_case, *data.vocabulary);
  const std::vector<TextRow>& rows = texts.train.rows;
  choose_truncation(request, fixed,
                    {rows.size(), [&](size_t row) { return std::string_view(rows[row].text); },
                     texts.train.pairs},
                    *tokenizer, data);
  data.train = encode_dataset(texts.train, *tokenizer, request.max_tokens);
  data.validation = encode_dataset(texts.validation, *tokenizer, request.max_tokens);
  if (!request.eval_data.empty()) {
    data.test = encode_dataset(texts.test, *tokenizer, request.max_tokens);
  }
  return data;
}

EncodedDataset load_scored_texts(const EvaluationData& rows) {
  return eval_rows(rows.data, rows.data_dir, rows.config.labels, rows.tokenizer,
                   static_cast<int>(rows.config.longest_input()));
}

}  // namespace

const TaskDefinition text_task = {[](TrainRequest& request) { request.method = Method::nested; },
                                  load_text_task, load_scored_texts, nullptr};

}  // namespace train
}  // namespace headroom
