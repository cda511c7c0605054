#include <fmt/format.h>

#include <cmath>

#include "base/join.h"
#include "experiments/budgeted/measures.h"
#include "experiments/claims/claims.h"
#include "experiments/record/test_rows.h"
#include "report/plot/time_plot.h"

namespace headroom::experiments::budgeted {
namespace {

// An arm over the seeds of the folder.
class Results {
 public:
  explicit Results(const ResultsFolder& folder) : folder_(folder) {}

  const ResultsFolder& folder() const { return folder_; }

  Estimate accuracy(const char* arm, double budget) const {
    return estimate(values_of(folder_.runs, arm, budget, &Point::accuracy));
  }

  // Budgeted minus that arm on the same seeds; an arm without budgets is taken at its one point.
  Estimate ahead_of(const char* arm, double budget, bool only_full = false) const {
    const Arm other[] = {{arm, arm, only_full}};
    const auto rows = paired_differences(folder_.runs, "budgeted", other, {budget});
    return rows.empty() ? Estimate{} : rows[0].at[0];
  }

  // The same as an effect, over test rows too where they are stored.
  Effect effect_over(const char* arm, double budget, bool only_full = false) const {
    const Estimate difference = ahead_of(arm, budget, only_full);
    if (difference.count == 0) return {0, 0, -1, "points"};
    const Effect over_seeds = {100 * difference.mean,
                               100 * difference.deviation / std::sqrt(difference.count),
                               difference.count - 1.0, "points"};
    return with_rows(over_seeds,
                     paired_by_row(folder_.runs, "budgeted", budget, arm, only_full ? 1.0 : budget),
                     100);
  }

 private:
  const ResultsFolder& folder_;
};

std::string points(const Estimate& difference) {
  return fmt::format("{} points", difference_cell(difference));
}

void judge_kept_accuracy(const Results& results, std::vector<Finding>& findings) {
  Finding finding{1, "", {}};
  std::vector<std::string> parts;
  for (const double budget : {0.3, 0.5}) {
    const Estimate difference = results.ahead_of("dense", budget, /*only_full=*/true);
    if (difference.count == 0) return;
    parts.push_back(
        fmt::format("{} % at {}", percent_cell(results.accuracy("budgeted", budget)), budget));
    finding.evidence.push_back({fmt::format("minus dense at {}", budget),
                                results.effect_over("dense", budget, /*only_full=*/true)});
  }
  finding.found = fmt::format("{} (dense {} %)", join(parts, "; "),
                              percent_cell(results.accuracy("dense", 1.0)));
  findings.push_back(finding);
}

void judge_warm_start(const Results& results, std::vector<Finding>& findings) {
  const FailedSeeds cold = failed_seeds(results.folder().runs, "scratch");
  const FailedSeeds warm = failed_seeds(results.folder().runs, "budgeted");
  if (cold.all == 0 || warm.all == 0) return;
  findings.push_back({2,
                      fmt::format("{} of {} seeds fail without, {} of {} with it", cold.failed,
                                  cold.all, warm.failed, warm.all),
                      {{"more seeds fail without it", counted(cold.failed - warm.failed, "seeds"),
                        more_failures(cold.failed, cold.all, warm.failed, warm.all)}}});
}

void judge_mass(const Results& results, std::vector<Finding>& findings) {
  const MassError error = mass_error(results.folder().runs);
  if (error.points == 0) return;
  std::vector<double> distances;
  double rising = 0;
  for (const Record& run : results.folder().runs) {
    const MassError of_seed = mass_error({run});
    if (of_seed.points == 0) continue;
    distances.push_back(of_seed.mean);
    rising += of_seed.rises ? 1 : 0;
  }
  findings.push_back(
      {3,
       fmt::format("off by {:.3f} on average, {:.3f} at most; {}", error.mean, error.largest,
                   error.rises ? "rises with the budget" : "does not always rise"),
       {{"distance of mass and budget", effect_of(distances, "of all gates")},
        {"curves that rise", counted(rising / static_cast<double>(distances.size()), "of all")}}});
}

void judge_speed(const Results& results, std::vector<Finding>& findings) {
  const Estimate gained = results.ahead_of("soft-cut", 0.5);
  if (gained.count == 0) return;
  for (const Json& cell : single_text_cells(results.folder().timing)) {
    if (cell.at("budget").get<double>() != 0.5) continue;
    const double speedup = cell.at("speedup").get<double>();
    const double cap = cell.at("speedup_cap").get<double>();
    findings.push_back(
        {4,
         fmt::format("{} % ({} over the same model cut without adaptation), {:.2f}x of at most "
                     "{:.2f}x",
                     percent_cell(results.accuracy("budgeted", 0.5)), points(gained), speedup, cap),
         {{"gain by adaptation", results.effect_over("soft-cut", 0.5)},
          {"speed-up over its cap", timed_once(speedup / cap, "of the cap")}}});
  }
}

void judge_against_pruning(const Results& results, std::vector<Finding>& findings) {
  const Estimate over_pruned = results.ahead_of("post-hoc", 0.5);
  const Estimate over_recovered = results.ahead_of("recovery", 0.5);
  if (over_pruned.count == 0 || over_recovered.count == 0) return;
  const std::string& start = results.folder().runs.front().start;
  findings.push_back({5,
                      fmt::format("{}: {} %; {} over pruning, {} over the specialist",
                                  start.empty() ? "word level" : start,
                                  percent_cell(results.accuracy("budgeted", 0.5)),
                                  points(over_pruned), points(over_recovered)),
                      {{"over pruning", results.effect_over("post-hoc", 0.5)},
                       {"over the specialist", results.effect_over("recovery", 0.5)}}});
}

void judge_against_dense(const Results& results, std::vector<Finding>& findings) {
  const Estimate over_dense = results.ahead_of("dense", 0.5, /*only_full=*/true);
  if (over_dense.count == 0) return;
  findings.push_back(
      {6,
       fmt::format("{} % against {} %: {}", percent_cell(results.accuracy("budgeted", 0.5)),
                   percent_cell(results.accuracy("dense", 1.0)), points(over_dense)),
       {{"minus dense", results.effect_over("dense", 0.5, /*only_full=*/true)}}});
}

void judge_against_specialists(const Results& results, std::vector<Finding>& findings) {
  std::vector<std::string> parts;
  for (const double budget : budgets_of(results.folder().runs)) {
    std::vector<std::string> at_budget;
    for (const char* arm : {"recovery", "static"}) {
      const Estimate difference = results.ahead_of(arm, budget);
      if (difference.count == 0) continue;
      at_budget.push_back(fmt::format("{} over {}", difference_cell(difference),
                                      arm == std::string_view("static") ? "static" : "recovered"));
    }
    if (!at_budget.empty())
      parts.push_back(fmt::format("at {}: {}", budget, join(at_budget, ", ")));
  }
  if (parts.empty()) return;
  findings.push_back({7,
                      fmt::format("points {}", join(parts, "; ")),
                      {{"over recovered specialists at 0.5", results.effect_over("recovery", 0.5)},
                       {"over static gates at 0.5", results.effect_over("static", 0.5)}}});
}

}  // namespace

std::vector<Finding> findings(const ResultsFolder& folder) {
  const Results results(folder);
  std::vector<Finding> findings;
  judge_kept_accuracy(results, findings);
  judge_warm_start(results, findings);
  judge_mass(results, findings);
  judge_speed(results, findings);
  judge_against_pruning(results, findings);
  judge_against_dense(results, findings);
  judge_against_specialists(results, findings);
  return findings;
}

}  // namespace headroom::experiments::budgeted
