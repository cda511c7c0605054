#include "simulated_server.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace headroom {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct SimulatedWorker {
  std::optional<Batch> batch;
  double free_ms = never;
};

class Simulation {
 public:
  Simulation(const ServingInputs& inputs, const ServingArm& arm, const ServingLoad& load,
             const ServingRun& run)
      : inputs_(inputs),
        arm_(arm),
        load_(load),
        run_(run),
        random_{run.seed},
        schedule_({CostLevels(inputs.table, arm.least, arm.most, inputs.longest())},
                  {run.workers, 512, 2048, run.controller}),
        workers_(static_cast<size_t>(run.workers)) {}

  ServingResult result() {
    double arrival = next_arrival(load_, 0, random_);
    while (true) {
      const auto first =
          std::min_element(workers_.begin(), workers_.end(),
                           [](const auto& a, const auto& b) { return a.free_ms < b.free_ms; });
      if (arrival < load_.duration_ms && arrival <= first->free_ms) {
        offer(arrival);
        start_work(arrival);
        arrival = next_arrival(load_, arrival, random_);
      } else if (first->batch) {
        const double now = first->free_ms;
        finish(*first);
        start_work(now);
      } else {
        return std::move(result_);
      }
    }
  }

 private:
  void offer(double now) {
    ++result_.offered;
    WaitingText text;
    text.tokens = inputs_.lengths[random_.below(inputs_.lengths.size())];
    text.arrived_ms = now;
    if (arm_.fixed) {
      text.budget = arm_.most;
      text.exact_time = inputs_.table.estimate(arm_.most, text.tokens);
    } else {
      text.deadline_ms = now + run_.slo_ms;
    }
    std::vector<WaitingText> texts;
    texts.push_back(std::move(text));
    if (schedule_.offer(0, std::move(texts), now).refused) ++result_.refused;
  }

  void start_work(double now) {
    result_.refused += static_cast<int64_t>(schedule_.drop_expired(now).size());
    for (SimulatedWorker& worker : workers_) {
      if (worker.batch) continue;
      worker.batch = schedule_.take(now);
      if (!worker.batch) return;
      const double slowdown = inputs_.slowdowns[random_.below(inputs_.slowdowns.size())];
      worker.free_ms = now + worker.batch->median_ms * slowdown * run_.speed;
      const double budget = worker.batch->choice.budget;
      if (budget != last_budget_) ++result_.budget_changes;
      last_budget_ = budget;
    }
  }

  void finish(SimulatedWorker& worker) {
    const Batch batch = std::move(*worker.batch);
    const double now = std::exchange(worker.free_ms, never);
    worker.batch.reset();
    schedule_.finished(batch, now);
    for (const WaitingText& text : batch.texts) {
      const double time = now - text.arrived_ms;
      const double accuracy = inputs_.accuracy(batch.choice.budget);
      if (time <= run_.slo_ms) {
        ++result_.in_time;
        result_.right_in_time += accuracy;
      }
      result_.times_ms.push_back(static_cast<float>(time));
      result_.budgets += batch.choice.budget;
      result_.accuracies += accuracy;
    }
  }

  const ServingInputs& inputs_;
  const ServingArm& arm_;
  const ServingLoad& load_;
  const ServingRun& run_;
  Random random_;
  Schedule schedule_;
  std::vector<SimulatedWorker> workers_;
  double last_budget_ = 0;
  ServingResult result_;
};

}  // namespace

void ServingResult::add(const ServingResult& other) {
  offered += other.offered;
  refused += other.refused;
  in_time += other.in_time;
  budget_changes += other.budget_changes;
  budgets += other.budgets;
  accuracies += other.accuracies;
  right_in_time += other.right_in_time;
  times_ms.insert(times_ms.end(), other.times_ms.begin(), other.times_ms.end());
}

ServingResult simulate(const ServingInputs& inputs, const ServingArm& arm, const ServingLoad& load,
                       const ServingRun& run) {
  return Simulation(inputs, arm, load, run).result();
}

}  // namespace headroom
