// Everything a training run reads, tokenised and split: text in, token ids and labels out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "data/encoded.h"
#include "data/formats/synthetic.h"
#include "text/vocabulary.h"
#include "train/rows/batches.h"
#include "train/rows/task_request.h"

namespace headroom {
inline namespace train {

// How texts become ids: the vocabulary of a checkpoint to start from.
struct TextCoding {
  TokenizerKind tokenizer = TokenizerKind::word;
  bool lower_case = true;
  Vocabulary vocabulary;
  bool typed = true;                                  // the model has token types
  std::optional<KeptPart> truncation = std::nullopt;  // as config.json says
};

struct TaskData {
  Task task = Task::classify;
  std::string name;
  SyntheticTask synthetic;  // when task is synthetic: rows are drawn fresh, `train` is empty
  std::vector<std::string> labels;
  TokenizerKind tokenizer = TokenizerKind::word;
  bool lower_case = true;
  bool letter_case = false;            // token types tell it
  std::optional<KeptPart> truncation;  // for config.json
  std::string truncation_note;         // for people; empty: hardly a row is too long
  std::optional<Vocabulary> vocabulary;
  EncodedDataset train;
  EncodedDataset validation;
  EncodedDataset held_back;     // validation rows that only the promise is checked on
  std::string validation_name;  // its SPEC; empty: rows set aside of the training rows
  EncodedDataset test;          // empty when there is no eval_data
  int max_tokens = 0;
  int64_t augment = 0;  // of images: TaskRequest::augment
};

// Sizes that follow from the data: vocabulary, positions, labels, patches; and what the task does
// not have.
ModelShape fit_shape(ModelShape shape, const TaskData& data);

// Of a checkpoint directory.
TextCoding read_coding(const std::filesystem::path& checkpoint);

// Rows as training reads them.
std::unique_ptr<BatchSource> training_source(const TaskData& data, int batch_size, uint64_t seed,
                                             torch::Device device);

}  // namespace train
}  // namespace headroom
