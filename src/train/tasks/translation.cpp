// Sentences with their translations, read by an encoder and written by a decoder.
#include "checkpoint/make_tokenizer.h"
#include "text/wordpiece/wordpiece_trainer.h"
#include "train/evaluate/translate.h"
#include "train/rows/split_units.h"
#include "train/rows/validation_data.h"
#include "train/tasks/tasks.h"

namespace headroom {
inline namespace train {
namespace {

void set_translation_defaults(TrainRequest& request) {
  request.method = Method::dense;
  request.task.tokenizer = TokenizerKind::wordpiece;
  request.task.vocabulary_size = 8000;
  request.recipe.batch_size = 128;
  request.recipe.dense_rate = 1e-3;
  request.recipe.dense_epochs = 20;
  request.recipe.stages.label_smoothing = 0.1;
  request.shape.layers = 3;
  request.shape.decoder_layers = 3;
  request.shape.ffn = 512;
}

std::vector<SentencePair> pick_pairs(const std::vector<SentencePair>& pairs,
                                     const std::vector<int32_t>& rows) {
  std::vector<SentencePair> picked;
  for (const int32_t row : rows) picked.push_back(pairs[static_cast<size_t>(row)]);
  return picked;
}

// One vocabulary of word pieces for both languages, as written: German needs its capitals and
// umlauts.
TaskData load_translation_task(const TaskRequest& request, const TextCoding* /*fixed*/) {
  require_data(request, "parallel:SOURCE,TARGET or multi30k");
  const std::vector<SentencePair> pairs =
      load_parallel(request.data, request.data_dir, request.max_memory);
  const std::string official = validation_spec(request);
  const SplitIndices split = split_units(static_cast<int64_t>(pairs.size()), request, official);
  const std::vector<SentencePair> train = pick_pairs(pairs, split.train);
  WordPieceTrainer trainer(/*lower_case=*/false);
  for (const SentencePair& pair : train) {
    trainer.add(pair.source);
    trainer.add(pair.target);
  }
  TaskData data;
  data.task = Task::translate;
  data.name = request.data;
  data.tokenizer = TokenizerKind::wordpiece;
  data.lower_case = false;
  data.max_tokens = request.max_tokens;
  data.vocabulary = trainer.train(request.vocabulary_size, request.min_count);
  const auto tokenizer = make_tokenizer(data.tokenizer, data.lower_case, *data.vocabulary);
  const auto load = [&](const std::string& spec) {
    return load_parallel(spec, request.data_dir, request.max_memory);
  };
  data.train = encode_translations(train, *tokenizer, request.max_tokens);
  data.validation =
      encode_translations(official.empty() ? pick_pairs(pairs, split.validation) : load(official),
                          *tokenizer, request.max_tokens);
  data.validation_name = official;
  if (!request.eval_data.empty()) {
    data.test = encode_translations(load(request.eval_data), *tokenizer, request.max_tokens);
  }
  return data;
}

EncodedDataset load_scored_translations(const EvaluationData& rows) {
  require_scored_data(rows);
  return encode_translations(load_parallel(rows.data, rows.data_dir), rows.tokenizer,
                             static_cast<int>(rows.config.shape.positions));
}

// Costs of both stacks; BLEU where there is a tokenizer to write sentences with.
void set_bleu(BudgetScore& score, const ElasticModel& model, const EncodedDataset& rows,
              const Tokenizer* tokenizer) {
  const Cost cost = mean_translation_cost(model.shape, rows);
  score.attention_macs = cost.attention_macs;
  score.model_macs = cost.model_macs;
  score.examples = rows.size();
  score.measure = Measure::perplexity;
  if (tokenizer == nullptr) return;
  score.measure = Measure::bleu;
  score.bleu = score_translations(model, *tokenizer, rows, default_beam).bleu;
}

}  // namespace

const TaskDefinition translation_task = {set_translation_defaults, load_translation_task,
                                         load_scored_translations, set_bleu};

}  // namespace train
}  // namespace headroom
