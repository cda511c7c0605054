#include "server/api/ranking_call.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/answers/rank_rounds.h"

namespace headroom::server {
namespace {

// Both calls of a ranking. It lives as long as one of them or its Abandon does.
class TwoRounds : public std::enable_shared_from_this<TwoRounds> {
 public:
  TwoRounds(Backend& backend, Call call, const RankRounds& rounds, const ApiRequest& request,
            CallDone done)
      : backend_(backend),
        call_(std::move(call)),
        rounds_(rounds),
        arrived_(request.arrived),
        done_(std::move(done)) {
    call_.client = request.client;
    call_.priority = request.priority;
    call_.automatic = false;
  }

  Abandon start() {
    call_.most = rounds_.first;
    submit(call_, &TwoRounds::first_ended);
    return [self = shared_from_this()] { self->abandon(); };
  }

 private:
  void submit(Call call, void (TwoRounds::*ended)(CallOutcome)) {
    call.waited_ms = 1000 * seconds_since(arrived_);
    const Abandon abandon =
        backend_.submit(call, [self = shared_from_this(), ended](CallOutcome outcome) {
          (self.get()->*ended)(std::move(outcome));
        });
    std::unique_lock lock(mutex_);
    const bool current = ended == &TwoRounds::second_ended || !second_began_;
    if (current) abandon_ = abandon;
    if (!current || !abandoned_) return;
    lock.unlock();
    abandon();
  }

  void first_ended(CallOutcome outcome) {
    if (!std::holds_alternative<CallAnswer>(outcome)) return done_(std::move(outcome));
    answer_ = std::get<CallAnswer>(std::move(outcome));
    refined_ = second_round(rounds_, answer_.texts);
    Call again = call_;
    again.budget = 1;
    again.most.reset();
    again.inputs.clear();
    for (const size_t i : refined_) again.inputs.push_back(call_.inputs[i]);
    {
      const std::lock_guard lock(mutex_);
      second_began_ = true;
      if (abandoned_) return done_(CallRefused{Refusal::abandoned, 0, "the client went away"});
    }
    submit(std::move(again), &TwoRounds::second_ended);
  }

  void second_ended(CallOutcome outcome) {
    if (const auto* refused = std::get_if<CallRefused>(&outcome)) {
      if (refused->why == Refusal::abandoned || refused->why == Refusal::failed) {
        return done_(std::move(outcome));
      }
      merge_rounds({}, {}, answer_.texts);
      answer_.lowered = Lowered::budget;
      return done_(std::move(answer_));
    }
    CallAnswer second = std::get<CallAnswer>(std::move(outcome));
    merge_rounds(refined_, std::move(second.texts), answer_.texts);
    answer_.queue_ms += second.queue_ms;
    answer_.inference_ms += second.inference_ms;
    answer_.predicted_ms += second.predicted_ms;
    done_(std::move(answer_));
  }

  void abandon() {
    Abandon current;
    {
      const std::lock_guard lock(mutex_);
      abandoned_ = true;
      current = abandon_;
    }
    if (current) current();
  }

  Backend& backend_;
  Call call_;
  RankRounds rounds_;
  std::chrono::steady_clock::time_point arrived_;
  CallDone done_;
  CallAnswer answer_;            // of the first round, then of both
  std::vector<size_t> refined_;  // that run again
  std::mutex mutex_;             // guards what follows
  Abandon abandon_;              // of the call under way
  bool second_began_ = false;
  bool abandoned_ = false;
};

}  // namespace

Abandon submit_ranking(Backend& backend, const ServedModel& model, Call call,
                       const ApiRequest& request, FormatAnswer format, Reply reply) {
  if (backend.automatic() && !call.budget) call.automatic = true;
  if (!call.automatic) {
    return submit_call(backend, std::move(call), request, std::move(format), std::move(reply));
  }
  const RankRounds rounds = rank_rounds(model.config, call.inputs.size());
  if (rounds.refined == 0) {
    call.automatic = false;
    call.most = rounds.first;
    return submit_call(backend, std::move(call), request, std::move(format), std::move(reply));
  }
  CallDone done = replying(backend, request, call.model, std::move(format), std::move(reply));
  return std::make_shared<TwoRounds>(backend, std::move(call), rounds, request, std::move(done))
      ->start();
}

}  // namespace headroom::server
