// Sentences whose words have tags.
#include "checkpoint/make_tokenizer.h"
#include "data/eval_rows.h"
#include "data/formats/tagged.h"
#include "train/rows/split_units.h"
#include "train/rows/validation_data.h"
#include "train/tasks/tasks.h"
#include "train/tasks/text_coding.h"

namespace headroom {
inline namespace train {
namespace {

// Capitals tell names from words.
void set_tag_defaults(TrainRequest& request) {
  request.method = Method::nested;
  request.task.tokenizer = TokenizerKind::wordpiece;
  request.task.cased = true;
  request.task.max_tokens = 128;
  // Tags lose more at small budgets than labels of whole texts: with the second anchor a quarter
  // of the budget lost 1.7 points of F1 on CoNLL-2003 instead of 2.3, and the whole none.
  request.recipe.stages.anchors = {0.125, 0.25};
}

TaggedDataset pick_sentences(const TaggedDataset& all, const std::vector<int32_t>& numbers) {
  TaggedDataset part{all.name, {}, all.labels};
  for (const int32_t number : numbers) {
    part.sentences.push_back(all.sentences[static_cast<size_t>(number)]);
  }
  return part;
}

// What a tokenizer.json does with them only its pieces tell.
bool loses_capitals(const TaskData& data, const Tokenizer& tokenizer) {
  if (data.tokenizer != TokenizerKind::pipeline) return data.lower_case;
  return tokenizer.pieces("Paris PARIS") == tokenizer.pieces("paris paris");
}

TaskData load_tag_task(const TaskRequest& request, const TextCoding* fixed) {
  require_data(request, "conll:FILE, jsonl:FILE or conll2003");
  const TaggedDataset all =
      load_tagged(request.data, request.data_dir, nullptr, request.max_memory);
  const std::string official = validation_spec(request);
  const SplitIndices split =
      split_units(static_cast<int64_t>(all.sentences.size()), request, official);
  const TaggedDataset train = pick_sentences(all, split.train);
  TaskData data;
  data.task = Task::tag;
  data.name = all.name;
  data.validation_name = official;
  data.labels = all.labels;
  data.max_tokens = request.max_tokens;
  set_coding(data, fixed, request, [&](const TakeText& take) {
    for (const TaggedSentence& sentence : train.sentences) {
      for (const std::string& word : sentence.words) take(word);
    }
  });
  const auto tokenizer = make_tokenizer(data.tokenizer, data.lower_case, *data.vocabulary);
  data.letter_case =
      request.letter_case && (fixed == nullptr || fixed->typed) && loses_capitals(data, *tokenizer);
  tokenizer->set_letter_case(data.letter_case);
  const auto load = [&](const std::string& spec) {
    return load_tagged(spec, request.data_dir, &all.labels, request.max_memory);
  };
  data.train = encode_tagged(train, *tokenizer, request.max_tokens);
  data.validation =
      encode_tagged(official.empty() ? pick_sentences(all, split.validation) : load(official),
                    *tokenizer, request.max_tokens);
  if (!request.eval_data.empty()) {
    data.test = encode_tagged(load(request.eval_data), *tokenizer, request.max_tokens);
  }
  return data;
}

EncodedDataset load_scored_tags(const EvaluationData& rows) {
  return eval_rows(rows.data, rows.data_dir, rows.config.labels, rows.tokenizer,
                   static_cast<int>(rows.config.longest_input()), Task::tag);
}

}  // namespace

const TaskDefinition tag_task = {set_tag_defaults, load_tag_task, load_scored_tags, nullptr};

}  // namespace train
}  // namespace headroom
