// A call between submit() and CallDone: its tokens on the way in, its answers on the way out. The
// service's lock guards what changes.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "server/service/call.h"

namespace headroom::server {

class PendingCall {
 public:
  PendingCall(size_t model, std::vector<Tokens> inputs, double arrived_ms, double deadline_ms,
              CallDone done);

  size_t model() const { return model_; }
  size_t texts() const { return inputs_.size(); }
  double arrived_ms() const { return arrived_ms_; }
  double deadline_ms() const { return deadline_ms_; }
  int64_t tokens() const { return tokens_; }
  const CallAnswer& answer() const { return answer_; }

  // For the batch that runs it, once.
  Tokens take_input(size_t index) { return std::move(inputs_[index]); }

  void set_predicted(double predicted_ms) { answer_.predicted_ms = predicted_ms; }
  void set_lowered(Lowered lowered) { answer_.lowered = lowered; }
  void answered(size_t index, Answer answer, double queue_ms, double inference_ms);
  void known(size_t index, Answer answer);   // a text that need not run
  void failed(const CallRefused& refused);   // a text that ran
  void dropped(const CallRefused& refused);  // a text that waited
  bool ended() const { return open_ == 0; }  // every text was answered, failed or dropped

  // Calls CallDone, once and without a lock: after the end, or instead of being queued.
  void tell();
  void refuse(CallRefused refused);
  const std::optional<CallRefused>& refused() const { return refused_; }

 private:
  size_t model_;
  std::vector<Tokens> inputs_;
  double arrived_ms_;
  double deadline_ms_;
  CallDone done_;
  int64_t tokens_ = 0;
  size_t open_;
  CallAnswer answer_;
  std::optional<CallRefused> refused_;  // the first reason
};

}  // namespace headroom::server
