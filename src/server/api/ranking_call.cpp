#include "server/api/ranking_call.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "engine/answers/rank_rounds.h"

namespace headroom::server {
namespace {

// Both calls of a ranking. It lives as long as one of them or its Abandon does.
class TwoRounds : public std::enable_shared_from_this<TwoRounds> {
 public:
  // `model` outlives it.
  TwoRounds(Backend& backend, const ServedModel& model, Call call, const RankRounds& rounds,
            const ApiRequest& request, CallDone done)
      : backend_(backend),
        model_(model),
        call_(std::move(call)),
        rounds_(rounds),
        key_(request.key),
        arrived_(request.arrived),
        done_(std::move(done)) {
    call_.client = request.client;
    call_.priority = request.priority;
    call_.automatic = false;
  }

  Abandon start() {
    Abandon abandon = [self = shared_from_this()] { self->abandon(); };
    Call first = call_;
    first.most = rounds_.first;
    submit(std::move(first), &TwoRounds::first_ended);
    return abandon;
  }

 private:
  // Each round is paid for as it ends: what the second does with the first's answers changes
  // nothing about what ran.
  void submit(Call call, void (TwoRounds::*ended)(CallOutcome)) {
    call.waited_ms = 1000 * seconds_since(arrived_);
    Abandon abandon =
        backend_.submit(call, [self = shared_from_this(), ended](CallOutcome outcome) {
          charge(self->key_.get(), self->model_, outcome);
          self->attempt([&] { (self.get()->*ended)(std::move(outcome)); });
        });
    {
      const std::lock_guard lock(mutex_);
      const bool current = ended == &TwoRounds::second_ended || !second_began_;
      if (!current) return;
      if (!abandoned_) {
        abandon_ = std::move(abandon);
        return;
      }
    }
    abandon();
  }

  void first_ended(CallOutcome outcome) {
    if (!std::holds_alternative<CallAnswer>(outcome)) return end(std::move(outcome));
    answer_ = std::get<CallAnswer>(std::move(outcome));
    refined_ = second_round(rounds_, answer_.texts);
    Call again = call_;
    again.budget = 1;
    again.inputs.clear();
    for (const size_t i : refined_) again.inputs.push_back(call_.inputs[i]);
    bool left = false;
    {
      const std::lock_guard lock(mutex_);
      second_began_ = true;
      left = abandoned_;
    }
    if (left) return end(CallRefused{Refusal::abandoned, 0, "the client went away"});
    submit(std::move(again), &TwoRounds::second_ended);
  }

  void second_ended(CallOutcome outcome) {
    if (const auto* refused = std::get_if<CallRefused>(&outcome)) {
      if (refused->why == Refusal::abandoned || refused->why == Refusal::failed) {
        return end(std::move(outcome));
      }
      merge_rounds({}, {}, answer_.texts);
      answer_.lowered = Lowered::budget;
      return end(std::move(answer_));
    }
    CallAnswer second = std::get<CallAnswer>(std::move(outcome));
    merge_rounds(refined_, std::move(second.texts), answer_.texts);
    if (!answer_.cached.empty()) {  // a text cost nothing where neither of its rounds did
      second.cached.resize(refined_.size());
      for (size_t i = 0; i < refined_.size(); ++i) {
        answer_.cached[refined_[i]] = answer_.cached[refined_[i]] && second.cached[i];
      }
    }
    answer_.queue_ms += second.queue_ms;
    answer_.inference_ms += second.inference_ms;
    answer_.predicted_ms += second.predicted_ms;
    end(std::move(answer_));
  }

  // What throws on a thread of the service ends the ranking: nobody above would tell the client.
  template <typename Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (const std::bad_alloc&) {
      end(CallRefused{Refusal::out_of_memory, 0, {}});
    } catch (const std::exception& problem) {
      end(CallRefused{Refusal::failed, 0, problem.what()});
    }
  }

  // Once: something may throw behind a round that has been asked for and will end, too.
  void end(CallOutcome outcome) {
    CallDone done;
    {
      const std::lock_guard lock(mutex_);
      done.swap(done_);
    }
    if (done) done(std::move(outcome));
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
  const ServedModel& model_;
  Call call_;
  RankRounds rounds_;
  std::shared_ptr<KeyHolder> key_;
  std::chrono::steady_clock::time_point arrived_;
  CallAnswer answer_;            // of the first round, then of both
  std::vector<size_t> refined_;  // that run again
  std::mutex mutex_;             // guards what follows
  CallDone done_;
  Abandon abandon_;  // of the call under way
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
  CallDone done = replying(request, call.model, std::move(format), std::move(reply));
  return std::make_shared<TwoRounds>(backend, model, std::move(call), rounds, request,
                                     std::move(done))
      ->start();
}

}  // namespace headroom::server
