#include "cascade/confidences.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "base/table.h"
#include "budget/ladder/confidence.h"
#include "cascade/climb.h"
#include "cascade/fit.h"
#include "cascade/frontier.h"

namespace headroom {
namespace {

// Promised mean budgets, from where rung zero settles most texts to where the full model sees many.
constexpr double promises[] = {0.06, 0.12, 0.25};

struct Outcome {
  double accuracy = 0;
  double mean_budget = 0;
};

Outcome outcome_of(const Policy& policy, const ScoredRows& tested) {
  Outcome outcome;
  const double share = 1 / static_cast<double>(tested.size());
  const std::vector<Climbed> climbed = climb(policy, tested);
  for (size_t row = 0; row < tested.size(); ++row) {
    const bool right = climbed[row].label == static_cast<size_t>(tested.labels[row]);
    outcome.accuracy += right ? share : 0;
    outcome.mean_budget += share * climbed[row].budget;
  }
  return outcome;
}

double accuracy_of_full_model(const ScoredRows& tested) {
  const std::vector<Scores>& scores = tested.at_budgets.back().scores;
  size_t right = 0;
  for (size_t row = 0; row < tested.size(); ++row) {
    right += best_label(scores[row]) == static_cast<size_t>(tested.labels[row]) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(tested.size());
}

}  // namespace

Json compare_confidences(const ScoredRows& fitted, const ScoredRows& tested) {
  const std::vector<size_t> order = shuffled(fitted.size(), 1);
  const double full = accuracy_of_full_model(tested);
  Json compared = Json::array();
  for (const double promise : promises) {
    for (const auto& entry : confidence_table.entries) {
      TuneSettings settings;
      settings.promise = Promise::mean_budget;
      settings.promised = promise;
      settings.confidences = {entry.value};
      try {
        const TuneReport report = fit_ladder(fitted, order, settings);
        const Outcome outcome = outcome_of(report.policy, tested);
        compared.push_back({{"confidence", entry.name},
                            {"promised", promise},
                            {"accuracy", outcome.accuracy},
                            {"difference", outcome.accuracy - full},
                            {"mean_budget", outcome.mean_budget}});
      } catch (const Error& error) {
        if (error.code() != ErrorCode::target_unreachable) throw;
      }
    }
  }
  return compared;
}

std::string confidences_section(const std::vector<RunGroup>& groups) {
  Table table{{"data", "model", "mean budget promised"}, {}};
  for (const auto& entry : confidence_table.entries) {
    table.header.push_back(fmt::format("{}: less dense", entry.name));
    table.header.emplace_back("at");
  }
  struct Sums {
    double difference = 0;
    double mean_budget = 0;
    int runs = 0;
  };
  for (const RunGroup& group : groups) {
    std::map<double, std::map<std::string, Sums>> by_promise;
    for (const Json& run : group.runs) {
      for (const Json& each : run.value("confidences", Json::array())) {
        Sums& sums = by_promise[each.at("promised")][each.at("confidence")];
        sums.difference += each.at("difference").get<double>();
        sums.mean_budget += each.at("mean_budget").get<double>();
        ++sums.runs;
      }
    }
    for (auto& [promise, by_confidence] : by_promise) {
      table.rows.push_back({set_title(group.data), group.base, fmt::format("{}", promise)});
      for (const auto& entry : confidence_table.entries) {
        const Sums& sums = by_confidence[std::string(entry.name)];
        table.rows.back().push_back(
            sums.runs == 0 ? "" : fmt::format("{:.2f}", 100 * sums.difference / sums.runs));
        table.rows.back().push_back(
            sums.runs == 0 ? "" : fmt::format("{:.3f}", sums.mean_budget / sums.runs));
      }
    }
  }
  if (table.rows.empty()) return "";
  return fmt::format(
      "## What a ladder stops by\n\nLadders that know one confidence alone, fitted as above for "
      "the "
      "same mean budget: points of accuracy less dense, and the mean budget spent on the test "
      "rows. *learned* is a logistic rule over a few numbers of the answer and of the rung before "
      "it. `tune` tries all four and takes what keeps its promise for least.\n\n{}\n",
      markdown(table));
}

}  // namespace headroom
