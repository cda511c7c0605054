// Texts of a request on their way to the service and back, for outputs where a text is not simply
// one input: prompts go in front of it, a tagger reads it in windows; vectors are shortened and
// tags become entities.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/tags/windows.h"
#include "server/api/call.h"

namespace headroom::server {

class TextsCall {
 public:
  // Gives `call` the inputs of its texts. Throws ErrorCode::usage for options that the model does
  // not have, HttpErrorCode::unprocessable for more windows than `limits` allow.
  TextsCall(const ServedModel& model, const AnswerOptions& options, const CallLimits& limits,
            Call& call);

  // Whether answers list their tokens, though there be none.
  bool token_tags() const { return options_.token_tags; }

  // One answer a text, of the service's one an input.
  std::vector<Answer> answers(const CallAnswer& answer) const;

 private:
  void add_prompts(Call& call) const;
  void add_windows(const CallLimits& limits, Call& call);

  const ServedModel& model_;
  AnswerOptions options_;
  std::vector<std::string> texts_;  // of a tagger: entities are parts of them
  std::vector<TextWindows> windows_;
};

}  // namespace headroom::server
