// A backend without a model: answers at once, when told to, never, or refuses.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "server/service/backend.h"

namespace headroom::testing {
using namespace server;

// Two labels, two layers of two heads, any budget.
inline ServedModel small_model(const std::string& name) {
  ServedModel model;
  model.name = name;
  model.config.shape = {.layers = 2,
                        .width = 16,
                        .heads = 2,
                        .ffn = 32,
                        .vocabulary = 8,
                        .positions = 12,
                        .labels = 2};
  model.config.method = Method::nested;
  model.config.order = uniform_order(model.config.shape, 4);
  model.config.labels = {"money", "sport"};
  model.table = {"a machine", "fp32", 1, "2026-11-15", {{0.5, 8, 1, 2}, {1, 8, 2, 3}}};
  return model;
}

class FakeBackend : public Backend {
 public:
  enum class Mode { at_once, later };

  explicit FakeBackend(const std::vector<std::string>& names = {"news"}) {
    for (const std::string& name : names) models_.push_back(small_model(name));
  }

  const std::vector<ServedModel>& models() const override { return models_; }
  const ServedModel* pick(const std::string& name) const override {
    const auto alias = aliases.find(name);
    return Backend::pick(alias == aliases.end() ? name : alias->second);
  }

  Abandon submit(const Call& call, CallDone done) override {
    std::unique_lock lock(mutex_);
    if (failure && (failing_model.empty() || failing_model == call.model)) throw *failure;
    last_call = call;
    last_texts.clear();
    for (const Text& text : call.texts) last_texts.emplace_back(text.text);
    last_call.texts.clear();  // not ours
    CallAnswer answers =
        answer(call.texts.size() + call.inputs.size(), call.budget ? call.budget : call.most);
    if (cached) answers.cached.assign(answers.texts.size(), true);
    answers.lowered = lowered;
    if (refusal && (refused_model.empty() || refused_model == call.model)) {
      const CallRefused refused = *refusal;
      lock.unlock();  // CallDone is called without any lock
      done(refused);
    } else if (mode == Mode::at_once) {
      lock.unlock();
      done(std::move(answers));
    } else {
      waiting_.emplace_back([answers, done] { done(answers); });
      changed_.notify_all();
    }
    return [this] {
      const std::lock_guard inner(mutex_);
      ++abandoned_;
      changed_.notify_all();
    };
  }

  bool automatic() const override { return automatic_default; }
  LiveState live(const std::string& /*model*/) const override {
    LiveState state;
    state.queue = 3;
    state.history.resize(60);
    return state;
  }
  bool ready() const override {
    const std::lock_guard lock(mutex_);
    return !draining_;
  }
  void begin_drain() override {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    changed_.notify_all();
  }

  // Label 1 of each text, at the budget asked for.
  static CallAnswer answer(size_t texts, std::optional<double> budget) {
    const double spent = budget.value_or(1);
    Answer each;
    each.label = 1;
    each.scores = {0.25, 0.75};
    each.budget = each.active_heads = each.active_ffn = spent;
    each.tokens = 7;
    return {std::vector<Answer>(texts, each), 0.5, 1.5, 2.5};
  }

  // Each false when it did not come to pass within ten seconds.
  bool wait_for_calls(size_t count) {
    return wait([&] { return waiting_.size() >= count; });
  }
  bool wait_for_abandoned(int count) {
    return wait([&] { return abandoned_ >= count; });
  }
  bool wait_for_drain() {
    return wait([&] { return draining_; });
  }

  void release_all() {
    std::vector<std::function<void()>> calls;
    {
      const std::lock_guard lock(mutex_);
      calls.swap(waiting_);
    }
    for (const auto& call : calls) call();
  }

  Mode mode = Mode::at_once;
  bool automatic_default = false;
  bool cached = false;  // all of it
  Lowered lowered = Lowered::nothing;
  std::map<std::string, std::string> aliases;
  std::optional<CallRefused> refusal;
  std::string refused_model;  // empty: all
  std::optional<Error> failure;
  std::string failing_model;            // likewise
  Call last_call;                       // without its texts
  std::vector<std::string> last_texts;  // first texts of pairs

 private:
  template <typename Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), condition);
  }

  std::vector<ServedModel> models_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> waiting_;
  int abandoned_ = 0;
  bool draining_ = false;
};

}  // namespace headroom::testing
