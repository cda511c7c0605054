#include "train/tasks/text_coding.h"

#include "text/wordpiece/wordpiece_trainer.h"

namespace headroom {
inline namespace train {
namespace {

TextCoding build_coding(const TaskRequest& request, const EachText& each_text) {
  if (request.tokenizer == TokenizerKind::wordpiece) {
    WordPieceTrainer trainer(!request.cased);
    each_text([&](std::string_view text) { trainer.add(text); });
    return {request.tokenizer, !request.cased,
            trainer.train(request.vocabulary_size, request.min_count)};
  }
  VocabularyBuilder builder;
  each_text([&](std::string_view text) { builder.add(text); });
  return {request.tokenizer, true, builder.build(request.vocabulary_size, request.min_count)};
}

}  // namespace

void set_coding(TaskData& data, const TextCoding* fixed, const TaskRequest& request,
                const EachText& each_text) {
  TextCoding coding = fixed != nullptr ? *fixed : build_coding(request, each_text);
  data.tokenizer = coding.tokenizer;
  data.lower_case = coding.lower_case;
  data.vocabulary = std::move(coding.vocabulary);
}

}  // namespace train
}  // namespace headroom
