#include "server/api/texts_call.h"

#include <fmt/format.h>

#include "engine/answers/vectors.h"
#include "engine/options.h"
#include "engine/tags/tag.h"

namespace headroom::server {

TextsCall::TextsCall(const ServedModel& model, const AnswerOptions& options,
                     const CallLimits& limits, Call& call)
    : model_(model), options_(options) {
  check_options(model.config, options);
  if (model.config.task == Task::embed) add_prompts(call);
  if (model.config.task == Task::tag) add_windows(limits, call);
}

void TextsCall::add_prompts(Call& call) const {
  const std::string prompt(prompt_of(model_.config, options_.prompt));
  if (prompt.empty()) return;
  for (const Text& text : call.texts) {
    const std::string whole = prompt + std::string(text.text);
    call.inputs.push_back(model_.tokenise({whole, text.pair}));
  }
  call.texts.clear();
}

void TextsCall::add_windows(const CallLimits& limits, Call& call) {
  for (const Text& text : call.texts) {
    texts_.emplace_back(text.text);
    windows_.push_back(windows_of(*model_.engine, text));
    const std::vector<Tokens>& inputs = windows_.back().inputs();
    call.inputs.insert(call.inputs.end(), inputs.begin(), inputs.end());
  }
  call.texts.clear();
  if (call.inputs.size() <= static_cast<size_t>(limits.most_inputs())) return;
  throw HttpError(HttpErrorCode::unprocessable,
                  fmt::format("the texts are {} windows of the model's length, this server takes "
                              "at most {} a request: send shorter texts",
                              call.inputs.size(), limits.most_inputs()));
}

std::vector<Answer> TextsCall::answers(const CallAnswer& answer) const {
  if (windows_.empty()) {
    std::vector<Answer> answers = answer.texts;
    for (Answer& each : answers) {
      if (options_.dimensions) shorten_vector(model_.config, *options_.dimensions, each.embedding);
    }
    return answers;
  }
  std::vector<Answer> answers;
  std::span<const Answer> rest = answer.texts;
  for (size_t i = 0; i < windows_.size(); ++i) {
    const size_t count = windows_[i].inputs().size();
    answers.push_back(tagged_answer(model_.engine->tokenizer(), model_.config, texts_[i],
                                    windows_[i], rest.first(count), options_));
    rest = rest.subspan(count);
  }
  return answers;
}

}  // namespace headroom::server
