#include "experiments/claims/targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/join.h"
#include "experiments/arms.h"

namespace headroom {
namespace {

constexpr double rounding = 1e-9;  // a mean of equal accuracies may come out a last bit short

std::optional<double> mean_of(const Estimate& value) {
  return value.count > 0 ? std::optional(value.mean) : std::nullopt;
}

std::optional<double> mean_accuracy(const Runs& runs, const std::string& arm, double budget) {
  return mean_of(estimate(values_of(runs, arm, budget, "accuracy")));
}

// Of the two dense models, with and without the steps that the other arms spend on budgets, the one
// that validated better.
std::string best_dense(const Runs& runs) {
  const auto validated = [&](const char* arm) {
    return mean_of(estimate(values_of(runs, arm, 1.0, "accuracy", "validation"))).value_or(0);
  };
  return validated("dense-start") > validated("dense") ? "dense-start" : "dense";
}

Target dense_target(const Runs& runs, double percent) {
  return {fmt::format("dense at least {:.1f} %", percent), percent / 100,
          mean_accuracy(runs, best_dense(runs), 1.0)};
}

Target budget_target(const Runs& runs, const std::string& ours, double budget, double percent) {
  return {fmt::format("budget {} at least {:.1f} %", budget, percent), percent / 100,
          mean_accuracy(runs, ours, budget)};
}

Target distance_target(const Runs& runs, const std::string& ours, double budget, double points) {
  const std::string best = best_dense(runs);
  const Arm dense[] = {{best.c_str(), "dense", /*only_full=*/true}};
  const auto differences = paired_differences(runs, ours, dense, {budget});
  return {fmt::format("budget {} within {:.1f} points of dense", budget, points), -points / 100,
          differences.empty() ? std::nullopt : mean_of(differences[0].at[0])};
}

std::string outcome(const Target& target) {
  if (!target.found) return "not run";
  return fmt::format("{} ({:.2f})", target.met() ? "met" : "not met", 100 * *target.found);
}

}  // namespace

bool Target::met() const {
  return found && *found >= least - rounding;
}

std::vector<Target> nested_targets(const Runs& runs, const std::string& ours) {
  const std::string task = runs[0].at("task").get<std::string>();
  if (task == "agnews") {
    return {dense_target(runs, 92.4), budget_target(runs, ours, 0.5, 92.0),
            budget_target(runs, ours, 0.25, 91.8), budget_target(runs, ours, 0.125, 91.4)};
  }
  if (task == "imdb") return {dense_target(runs, 87.5), distance_target(runs, ours, 0.5, 0.8)};
  return {};
}

std::string describe_targets(const std::vector<Target>& targets) {
  if (targets.empty()) return "";
  std::vector<std::string> parts(targets.size());
  std::transform(targets.begin(), targets.end(), parts.begin(), [](const Target& target) {
    return fmt::format("{}: {}", target.wish, outcome(target));
  });
  return fmt::format("Targets given for the mean test accuracy: {}.", join(parts, "; "));
}

Json to_json(const std::vector<Target>& targets) {
  Json json = Json::array();
  for (const Target& target : targets) {
    json.push_back({{"target", target.wish}, {"least", target.least}});
    if (target.found) json.back().update({{"found", *target.found}, {"met", target.met()}});
  }
  return json;
}

}  // namespace headroom
