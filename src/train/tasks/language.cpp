// Running text, of which every token is predicted from those before it.
#include <fmt/format.h>

#include "base/error.h"
#include "checkpoint/make_tokenizer.h"
#include "text/plain_tokenizer.h"
#include "train/rows/validation_data.h"
#include "train/tasks/tasks.h"

namespace headroom {
inline namespace train {
namespace {

void set_language_defaults(TrainRequest& request) {
  request.task.tokenizer = TokenizerKind::character;
  request.task.max_tokens = 256;
  Recipe& recipe = request.recipe;
  recipe.batch_size = 64;
  recipe.dense_rate = 1e-3;
  recipe.soft_rate = 5e-4;
  recipe.dense_epochs = 40;  // an epoch has few rows: the text once, in long ones
  recipe.soft_epochs = 10;
  recipe.hard_epochs = 4;
  recipe.dropout = 0.2;
  recipe.weight_decay = 0.1;
  request.shape.width = 192;  // 1.8 M parameters with 70 characters and 256 tokens
  request.shape.heads = 6;
  request.shape.ffn = 768;
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

// Validation is the end of the training text, a twentieth of it: rows beside one another would show
// the model what it is to predict.
TaskData load_language_task(const TaskRequest& request, const TextCoding* /*fixed*/) {
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
  const auto load = [&](const std::string& spec) {
    return stream_rows(
        tokenizer->pieces(load_plain_text(spec, request.data_dir, request.max_memory)),
        request.max_tokens, spec);
  };
  data.validation_name = validation_spec(request);
  if (data.validation_name.empty()) {
    const auto end = tokens.end() - static_cast<std::ptrdiff_t>(tokens.size() / 20);
    data.validation = stream_rows({end, tokens.end()}, request.max_tokens, "the last twentieth");
    tokens.erase(end, tokens.end());
  } else {
    data.validation = load(data.validation_name);
  }
  data.train = stream_rows(tokens, request.max_tokens, request.data);
  if (!request.eval_data.empty()) data.test = load(request.eval_data);
  return data;
}

EncodedDataset load_scored_text(const EvaluationData& rows) {
  require_scored_data(rows);
  return stream_rows(rows.tokenizer.pieces(load_plain_text(rows.data, rows.data_dir)),
                     rows.config.shape.positions, rows.data);
}

void set_perplexity(BudgetScore& score, const ElasticModel& /*model*/,
                    const EncodedDataset& /*rows*/, const Tokenizer* /*tokenizer*/) {
  score.measure = Measure::perplexity;
}

}  // namespace

const TaskDefinition language_task = {set_language_defaults, load_language_task, load_scored_text,
                                      set_perplexity};

}  // namespace train
}  // namespace headroom
