// A tiny model behind a service whose workers a test can hold, and outcomes it can wait for.
#pragma once

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/policy_file.h"
#include "engine/random_model.h"
#include "server/service/service.h"
#include "server/simulated_time.h"

namespace headroom::testing {
using namespace server;

// Texts are letters between spaces.
inline const RandomCheckpoint& letters_checkpoint() {
  static const RandomCheckpoint random(small_shape());
  return random;
}

inline ServedModel letters_model(std::string name = "letters") {
  static const auto engine = EngineModel::load(letters_checkpoint().path());
  ServedModel model = served_model(std::move(name), engine);
  model.table = linear_table();
  return model;
}

// Rungs 0.25 and 1: at the top level the first stops nobody, at the lowest everybody.
inline Policy two_rung_policy() {
  Policy policy;
  policy.temperatures = {{0.25, 1}, {1, 1}};
  policy.rungs = {{0.25, {}}, {1, {}}};
  policy.levels = {{{0}, {1, 0}, 0.8, {}, 0.25}, {{2}, {1, 1}, 1, {}, 1.25}};
  policy.promised = 0.9;
  policy.precision = "fp32";
  policy.date = "2026-01-02";
  return policy;
}

// Sure that every text has the first label.
inline NgramBag one_sided_bag(const ModelConfig& config) {
  const NgramTable table{config.shape.vocabulary, 8, 2, config.shape.labels};
  const auto rows = static_cast<size_t>(table.rows());
  const auto labels = static_cast<size_t>(table.labels);
  NgramBag bag{table, std::vector<int8_t>(rows * labels), std::vector<float>(rows, 0.02F)};
  for (size_t row = 0; row < rows; ++row) bag.weights[row * labels] = 100;
  return bag;
}

// The letters model with a bag of n-grams in its checkpoint.
inline ServedModel bagged_model() {
  static const RandomCheckpoint random(small_shape());
  static const auto engine = [] {
    Policy policy = two_rung_policy();
    policy.temperatures.insert(policy.temperatures.begin(), {0, 1});
    write_policy(random.path(), policy, one_sided_bag(random.config()));
    return EngineModel::load(random.path());
  }();
  ServedModel model = served_model("letters", engine);
  model.table = linear_table();
  return model;
}

// The letters model with a policy in its checkpoint.
inline ServedModel laddered_model() {
  static const RandomCheckpoint random(small_shape());
  static const auto engine = [] {
    write_policy(random.path(), two_rung_policy(), std::nullopt);
    return EngineModel::load(random.path());
  }();
  ServedModel model = served_model("letters", engine);
  model.table = linear_table();
  return model;
}

// Workers stop at a closed gate.
class Gate {
 public:
  ~Gate() { open(); }

  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait_for_workers(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= count; });
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  bool open_ = false;
};

inline ServedModel gated_model(const std::shared_ptr<Gate>& gate) {
  ServedModel model = letters_model();
  model.make_runner = [gate, inner = model.make_runner](int threads) {
    return [gate, run = inner(threads)](std::span<const Tokens> inputs, double budget,
                                        std::optional<size_t> ladder) {
      gate->pass();
      return run(inputs, budget, ladder);
    };
  };
  return model;
}

inline ServiceObserver& nobody() {
  static ServiceObserver observer;
  return observer;
}

inline ServiceSettings one_worker() {
  ServiceSettings settings;
  settings.workers = 1;
  return settings;
}

// What a call may spend.
struct Spending {
  std::optional<double> budget = {};
  std::optional<double> latency_ms = {};
  bool automatic = false;
  std::optional<double> most = {};
};

// One call and what became of it.
class Asked {
 public:
  Asked(Service& service, const std::vector<std::string>& texts, const Spending& spending = {},
        const std::string& model = "letters") {
    Call call{model, {}, spending.budget, spending.latency_ms, "a client", 0, spending.automatic};
    call.most = spending.most;
    for (const std::string& text : texts) call.texts.push_back({text});
    auto promise = std::make_shared<std::promise<CallOutcome>>();
    outcome_ = promise->get_future();
    // A second call of it would throw std::future_error.
    abandon_ = service.submit(
        call, [promise](CallOutcome outcome) { promise->set_value(std::move(outcome)); });
  }

  void abandon() { abandon_(); }
  bool done() const {
    return outcome_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  CallAnswer answer() { return std::get<CallAnswer>(outcome_.get()); }
  CallRefused refused() { return std::get<CallRefused>(outcome_.get()); }

 private:
  std::future<CallOutcome> outcome_;
  Abandon abandon_;
};

}  // namespace headroom::testing
