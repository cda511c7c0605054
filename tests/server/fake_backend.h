// A backend without a model: answers at once, when told to, never, or refuses.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "server/service/classify_backend.h"

namespace headroom::testing {

// Two labels, two layers of two heads, any budget.
inline ModelFacts small_model(const std::string& name) {
  ModelFacts model;
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
  model.precision = "fp32";
  model.table = {"a machine", "fp32", 1, "2026-11-15", {{0.5, 8, 1, 2}, {1, 8, 2, 3}}};
  model.min_budget = 0.125;
  return model;
}

class FakeBackend : public ClassifyBackend {
 public:
  enum class Mode { at_once, later };

  explicit FakeBackend(const std::vector<std::string>& names = {"news"}) {
    for (const std::string& name : names) models_.push_back(small_model(name));
  }

  const std::vector<ModelFacts>& models() const override { return models_; }

  Abandon submit(const std::string& model, const std::vector<CallText>& texts, const Spend& spend,
                 CallDone done) override {
    const std::lock_guard lock(mutex_);
    if (failure) throw *failure;
    last_model = model;
    last_texts = texts;
    last_spend = spend;
    if (refusal) {
      done(*refusal);
    } else if (mode == Mode::at_once) {
      done(answer(texts.size(), spend));
    } else {
      waiting_.emplace_back([texts, spend, done] { done(answer(texts.size(), spend)); });
      changed_.notify_all();
    }
    return [this] {
      const std::lock_guard inner(mutex_);
      ++abandoned_;
      changed_.notify_all();
    };
  }

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
  static CallAnswer answer(size_t texts, const Spend& spend) {
    const double budget = spend.budget.value_or(1);
    return {std::vector<TextAnswer>(texts, {1, {0.25, 0.75}, budget, budget, budget, 7}), 0.5, 1.5,
            2.5};
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
  std::optional<CallRefused> refusal;
  std::optional<Error> failure;
  std::string last_model;
  std::vector<CallText> last_texts;
  Spend last_spend;

 private:
  template <typename Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), condition);
  }

  std::vector<ModelFacts> models_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> waiting_;
  int abandoned_ = 0;
  bool draining_ = false;
};

}  // namespace headroom::testing
