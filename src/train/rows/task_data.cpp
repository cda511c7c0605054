#include "train/rows/task_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/make_tokenizer.h"
#include "data/eval_rows.h"
#include "text/wordpiece_trainer.h"
#include "train/rows/task_forms.h"
#include "train/rows/task_texts.h"

namespace headroom::inline train {
namespace {

constexpr int64_t synthetic_epoch_rows = 20000;

void add_rows(const TextDataset& rows, auto& builder) {
  for (const TextRow& row : rows.rows) {
    builder.add(row.text);
    if (rows.pairs) builder.add(row.text_pair);
  }
}

TextCoding build_coding(const TextDataset& rows, const TaskRequest& request) {
  if (request.tokenizer == TokenizerKind::wordpiece) {
    WordPieceTrainer trainer(!request.cased);
    add_rows(rows, trainer);
    return {request.tokenizer, !request.cased,
            trainer.train(request.vocabulary_size, request.min_count)};
  }
  VocabularyBuilder builder;
  add_rows(rows, builder);
  return {request.tokenizer, true, builder.build(request.vocabulary_size, request.min_count)};
}

// --task pair is for pairs, and the test rows are what the training rows are.
void require_pairs(Task task, const TaskTexts& texts) {
  if (task == Task::pair && !texts.train.pairs) {
    throw Error(ErrorCode::bad_data, "load data",
                fmt::format("--task pair needs two texts a row, {} has one: name the second with "
                            "?text_pair=COL",
                            texts.train.name));
  }
  if (!texts.test.rows.empty() && texts.test.pairs != texts.train.pairs) {
    throw Error(ErrorCode::bad_data, "load data",
                fmt::format("{} has {} a row, the training rows {}", texts.test.name,
                            texts.test.pairs ? "two texts" : "one text",
                            texts.train.pairs ? "two" : "one"));
  }
}

TaskData load_synthetic(const TaskRequest& request) {
  TaskData data;
  data.task = Task::synthetic;
  data.name = request.data.empty() ? "synthetic" : request.data;
  data.synthetic = parse_synthetic(request.data);
  data.labels = synthetic_labels(data.synthetic);
  data.vocabulary = synthetic_vocabulary(data.synthetic);
  data.max_tokens = data.synthetic.tokens + 2;
  data.validation = synthetic_validation_rows(data.synthetic);
  data.test = synthetic_test_rows(data.synthetic);
  return data;
}

}  // namespace

TextCoding read_coding(const std::filesystem::path& checkpoint) {
  const ModelConfig config = read_config(checkpoint);
  return {config.tokenizer, config.lower_case, read_vocabulary(checkpoint, config)};
}

TaskData load_task(const TaskRequest& request, const TextCoding* fixed) {
  if (request.task == Task::synthetic) return load_synthetic(request);
  if (request.task == Task::image) return load_image_task(request);
  if (request.task == Task::lm) return load_language_task(request);
  if (request.task == Task::translate) return load_translation_task(request);
  const TaskTexts texts = load_task_texts(request);
  require_pairs(request.task, texts);
  TaskData data;
  data.task = texts.train.pairs ? Task::pair : Task::classify;
  data.name = texts.train.name;
  data.labels = texts.train.labels;
  data.max_tokens = request.max_tokens;
  const TextCoding coding = fixed != nullptr ? *fixed : build_coding(texts.train, request);
  data.tokenizer = coding.tokenizer;
  data.lower_case = coding.lower_case;
  data.vocabulary = coding.vocabulary;
  const auto tokenizer = make_tokenizer(coding.tokenizer, coding.lower_case, coding.vocabulary);
  const auto encode = request.keep_end ? encode_ends : encode_dataset;
  data.train = encode(texts.train, *tokenizer, request.max_tokens);
  data.validation = encode(texts.validation, *tokenizer, request.max_tokens);
  if (!request.eval_data.empty()) {
    data.test = encode(texts.test, *tokenizer, request.max_tokens);
  }
  return data;
}

std::unique_ptr<BatchSource> training_source(const TaskData& data, int batch_size, uint64_t seed,
                                             torch::Device device) {
  if (data.task == Task::synthetic) {
    return synthetic_source(data.synthetic, batch_size, synthetic_epoch_rows,
                            mix_key({seed, 0x726f7773}), device);
  }
  return epoch_source(data.train, batch_size, seed, device);
}

}  // namespace headroom::inline train
