#include "server/service/pending_call.h"

#include <algorithm>
#include <utility>

namespace headroom::server {

PendingCall::PendingCall(size_t model, std::vector<Tokens> inputs, double arrived_ms,
                         double deadline_ms, CallDone done)
    : model_(model),
      inputs_(std::move(inputs)),
      arrived_ms_(arrived_ms),
      deadline_ms_(deadline_ms),
      done_(std::move(done)),
      open_(inputs_.size()) {
  answer_.texts.resize(inputs_.size());
  for (const Tokens& input : inputs_) tokens_ += static_cast<int64_t>(input.ids.size());
}

void PendingCall::answered(size_t index, Answer answer, double queue_ms, double inference_ms) {
  answer_.texts[index] = std::move(answer);
  answer_.queue_ms = std::max(answer_.queue_ms, queue_ms);
  answer_.inference_ms = std::max(answer_.inference_ms, inference_ms);
  --open_;
}

void PendingCall::known(size_t index, Answer answer) {
  answer_.texts[index] = std::move(answer);
  answer_.cached.resize(inputs_.size());
  answer_.cached[index] = true;
  --open_;
}

void PendingCall::failed(const CallRefused& refused) {
  if (!refused_) refused_ = refused;
  --open_;
}

void PendingCall::dropped(const CallRefused& refused) {
  failed(refused);
}

void PendingCall::tell() {
  const CallDone done = std::move(done_);
  if (refused_) {
    for (size_t i = 0; i < answer_.cached.size(); ++i) {
      if (answer_.cached[i]) answer_.texts[i].tokens = 0;
    }
    // In place: there may be no memory for a list of their own.
    refused_->ran = std::move(answer_.texts);
    std::erase_if(refused_->ran, [](const Answer& text) { return text.tokens == 0; });
    done(std::move(*refused_));
  } else {
    done(std::move(answer_));
  }
}

void PendingCall::refuse(CallRefused refused) {
  refused_ = std::move(refused);
  tell();
}

}  // namespace headroom::server
