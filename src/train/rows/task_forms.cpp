#include "train/rows/task_forms.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "checkpoint/make_tokenizer.h"
#include "data/split.h"
#include "text/plain_tokenizer.h"
#include "text/wordpiece_trainer.h"

namespace headroom::inline train {
namespace {

void require_data(const TaskRequest& request, std::string_view forms) {
  if (!request.data.empty()) return;
  throw Error(ErrorCode::usage, "train", fmt::format("--data is required: {}", forms));
}

int64_t rows_aside(const TaskRequest& request, int64_t rows) {
  return request.validation_rows > 0 ? request.validation_rows
                                     : std::clamp<int64_t>(rows / 10, 1, 2000);
}

Vocabulary language_vocabulary(const std::string& text, const TaskRequest& request) {
  if (request.tokenizer == TokenizerKind::character) return CharacterTokenizer::build(text);
  return SpaceTokenizer::build(text, request.vocabulary_size, request.min_count);
}

// Rows of running text, at least one.
EncodedDataset stream_rows(const std::vector<int32_t>& tokens, int64_t row_tokens,
                           std::string_view what) {
  EncodedDataset rows = encode_stream(tokens, row_tokens);
  if (rows.size() > 0) return rows;
  throw Error(ErrorCode::bad_data, "load data",
              fmt::format("{} has {} tokens, fewer than a row of {} and its last answer", what,
                          tokens.size(), row_tokens));
}

std::vector<SentencePair> pick_pairs(const std::vector<SentencePair>& pairs,
                                     const std::vector<int32_t>& rows) {
  std::vector<SentencePair> picked;
  for (const int32_t row : rows) picked.push_back(pairs[static_cast<size_t>(row)]);
  return picked;
}

}  // namespace

TaskData load_image_task(const TaskRequest& request) {
  require_data(request, "idx:IMAGES,LABELS, cifar:FILE, mnist or cifar10");
  ImageDataset all = load_images(request.data, request.data_dir, request.max_memory);
  if (request.train_rows > 0) {
    all = pick_images(all, sample_stratified(all.labels, request.train_rows, request.split_seed));
  }
  const SplitIndices split =
      split_stratified(all.labels, rows_aside(request, all.size()), request.split_seed);
  TaskData data;
  data.task = Task::image;
  data.name = request.data;
  data.labels = all.names;
  data.vocabulary = Vocabulary::with_words({});
  data.train = encode_images(pick_images(all, split.train), request.patch);
  data.validation = encode_images(pick_images(all, split.validation), request.patch);
  if (!request.eval_data.empty()) {
    data.test = encode_images(load_images(request.eval_data, request.data_dir, request.max_memory),
                              request.patch);
    if (data.test.image != data.train.image) {
      throw Error(ErrorCode::bad_data, "load images",
                  "the test images have another size than the training images");
    }
  }
  data.max_tokens = static_cast<int>(data.train.image.patches() + 1);
  return data;
}

TaskData load_language_task(const TaskRequest& request) {
  require_data(request, "text:FILE, shakespeare or wikitext2");
  const std::string text = load_plain_text(request.data, request.data_dir, request.max_memory);
  TaskData data;
  data.task = Task::lm;
  data.name = request.data;
  data.tokenizer = request.tokenizer;
  data.max_tokens = request.max_tokens;
  data.vocabulary = language_vocabulary(text, request);
  const auto tokenizer = make_tokenizer(data.tokenizer, true, *data.vocabulary);
  std::vector<int32_t> tokens = tokenizer->pieces(text);
  const auto end = tokens.end() - static_cast<std::ptrdiff_t>(tokens.size() / 20);
  data.validation = stream_rows({end, tokens.end()}, request.max_tokens, "the last twentieth");
  tokens.erase(end, tokens.end());
  data.train = stream_rows(tokens, request.max_tokens, request.data);
  if (!request.eval_data.empty()) {
    data.test = stream_rows(
        tokenizer->pieces(load_plain_text(request.eval_data, request.data_dir, request.max_memory)),
        request.max_tokens, request.eval_data);
  }
  return data;
}

TaskData load_translation_task(const TaskRequest& request) {
  require_data(request, "parallel:SOURCE,TARGET or multi30k");
  std::vector<SentencePair> pairs =
      load_parallel(request.data, request.data_dir, request.max_memory);
  const std::vector<int32_t> one_class(pairs.size(), 0);
  if (request.train_rows > 0) {
    pairs = pick_pairs(pairs, sample_stratified(one_class, request.train_rows, request.split_seed));
  }
  const auto rows = static_cast<int64_t>(pairs.size());
  const SplitIndices split = split_stratified(std::span(one_class).first(pairs.size()),
                                              rows_aside(request, rows), request.split_seed);
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
  data.train = encode_translations(train, *tokenizer, request.max_tokens);
  data.validation =
      encode_translations(pick_pairs(pairs, split.validation), *tokenizer, request.max_tokens);
  if (!request.eval_data.empty()) {
    data.test =
        encode_translations(load_parallel(request.eval_data, request.data_dir, request.max_memory),
                            *tokenizer, request.max_tokens);
  }
  return data;
}

EncodedDataset form_rows(const ModelConfig& config, const Tokenizer& tokenizer,
                         const std::string& spec, const std::filesystem::path& data_dir) {
  if (spec.empty()) throw Error(ErrorCode::usage, "eval", "--data is required for this model");
  if (config.task == Task::lm) {
    return stream_rows(tokenizer.pieces(load_plain_text(spec, data_dir)), config.shape.positions,
                       spec);
  }
  if (config.task == Task::translate) {
    return encode_translations(load_parallel(spec, data_dir), tokenizer,
                               static_cast<int>(config.shape.positions));
  }
  EncodedDataset rows = encode_images(load_images(spec, data_dir), config.image.patch);
  if (rows.image == config.image) return rows;
  throw Error(ErrorCode::bad_data, "load images",
              fmt::format("{} has images of {} x {} with {} channels, the model reads {} x {} "
                          "with {}",
                          spec, rows.image.side, rows.image.side, rows.image.channels,
                          config.image.side, config.image.side, config.image.channels));
}

ModelShape fit_shape(ModelShape shape, const TaskData& data) {
  shape.vocabulary = data.vocabulary->size();
  shape.positions = data.max_tokens;
  shape.labels = static_cast<int64_t>(data.labels.size());
  shape.causal = data.task == Task::lm;
  shape.patch_values = data.task == Task::image ? data.train.image.patch_values() : 0;
  if (data.task != Task::translate) shape.decoder_layers = 0;
  if (data.task == Task::lm || data.task == Task::image) shape.token_types = 0;
  return shape;
}

}  // namespace headroom::inline train
