#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/join.h"
#include "experiments/claims/claims.h"
#include "experiments/variants/measures.h"

namespace headroom::experiments::variants {
namespace {

constexpr double matched_within = 0.03;  // of whole-model MACs; a head of 32 is 2 % of them

// The arms of one folder against each other.
class Results {
 public:
  explicit Results(const ResultsFolder& folder)
      : folder_(folder), measure_(measure_of(folder.runs.front())) {}

  const ResultsFolder& folder() const { return folder_; }
  Estimate gain(const char* arm, const char* base) const {
    return variants::gain(folder_.runs, arm, base, measure_);
  }
  // The same as an effect, over test rows too where they are stored.
  Effect effect(const std::string& arm, const std::string& base) const {
    const Estimate gained = variants::gain(folder_.runs, arm, base, measure_);
    if (gained.count == 0) return {0, 0, -1, measure_.unit};
    return with_rows({gained.mean, gained.deviation / std::sqrt(gained.count), gained.count - 1.0,
                      measure_.unit},
                     row_gains(folder_.runs, arm, base, measure_), measure_.scale);
  }
  // How far whole-model MACs differ, as a share of the base's.
  double cost_apart(const std::string& arm, const std::string& base) const {
    const auto macs = [&](const std::string& name) {
      return estimate(only_values(folder_.runs, name, &Point::model_macs)).mean;
    };
    return std::abs(macs(arm) / macs(base) - 1);
  }
  // Whether training longer might have changed a finding.
  std::string last_best() const {
    const LastBest best = variants::last_best(folder_.runs);
    if (best.runs == 0) return "";
    return fmt::format(" (the last step validated best in {} of {} runs)", best.last, best.runs);
  }
  std::string text(const Estimate& gained) const {
    if (gained.count == 0) return "not run";
    if (gained.count == 1) return fmt::format("{:+.2f} {} (one seed)", gained.mean, measure_.unit);
    return fmt::format("{:+.2f} ± {:.2f} {}", gained.mean, gained.half_width, measure_.unit);
  }

 private:
  const ResultsFolder& folder_;
  Measure measure_;
};

void judge_fewer_parameters(const Results& results, std::vector<Finding>& findings) {
  const Estimate optimized = results.gain("optimized", "standard");
  const Estimate efficient = results.gain("efficient", "standard");
  if (optimized.count == 0 || efficient.count == 0) return;
  findings.push_back(
      {16,
       fmt::format("over Standard: Optimized {}, Efficient {}; a Standard of half the heads {}{}",
                   results.text(optimized), results.text(efficient),
                   results.text(results.gain("standard-matched", "standard")), results.last_best()),
       {{"Optimized over Standard", results.effect("optimized", "standard")},
        {"Efficient over Standard", results.effect("efficient", "standard")}}});
}

// Better than Standard, and not only because tokens are mixed once more.
void judge_super(const Results& results, std::vector<Finding>& findings) {
  const Estimate over_standard = results.gain("super", "standard");
  if (over_standard.count == 0) return;
  Finding finding{
      17,
      fmt::format("Super over Standard {}, over Standard with the same mixing matrix {}, over "
                  "Efficient {}",
                  results.text(over_standard),
                  results.text(results.gain("super", "standard-mixing")),
                  results.text(results.gain("super", "efficient"))),
      {{"Super over Standard", results.effect("super", "standard")},
       {"Super over Standard with mixing", results.effect("super", "standard-mixing")}}};
  const Estimate drawn = results.gain("super-xavier", "standard");
  if (drawn.count > 0) {
    finding.found += fmt::format("; with W_A from Xavier {} over Standard", results.text(drawn));
  }
  finding.found += results.last_best();
  findings.push_back(finding);
}

void judge_language_model(const Results& results, std::vector<Finding>& findings) {
  const Estimate over_matched = results.gain("super", "standard-matched");
  if (over_matched.count == 0) return;
  findings.push_back(
      {21,
       fmt::format("Super over a Standard of half the heads {}, over the whole Standard {}{}",
                   results.text(over_matched), results.text(results.gain("super", "standard")),
                   results.last_best()),
       {{"Super over Standard of half the heads", results.effect("super", "standard-matched")}}});
}

// From cells of bench_attention() or of bench-attention.
void judge_time(const Json& timing, const std::string& about, std::vector<Finding>& findings) {
  if (!timing.contains("cells")) return;
  std::map<std::string, std::vector<double>> ratios;
  for (const Json& cell : timing.at("cells")) {
    const std::string kind = cell.at("attention").get<std::string>();
    if (kind != "standard") ratios[kind].push_back(cell.at("over_standard").get<double>());
  }
  std::vector<std::string> parts;
  std::vector<Evidence> evidence;
  for (const auto& [kind, values] : ratios) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    parts.push_back(fmt::format("{} {:.2f} to {:.2f}", kind, *least, *most));
    evidence.push_back({kind + " at its slowest", timed_once(*most, "of Standard's time")});
  }
  if (parts.empty()) return;
  findings.push_back(
      {20, fmt::format("{}time over Standard's: {}", about, join(parts, ", ")), evidence});
}

// Each kind with a budget method against Standard with the same one, and Standard with heads chosen
// for each text against the budgeted one. Choices come to their own costs: what is not matched
// decides nothing.
void judge_combination(const Results& results, std::vector<Finding>& findings) {
  std::vector<std::string> parts;
  std::vector<Evidence> evidence;
  const auto compare = [&](const std::string& kind, const std::string& method,
                           const std::string& base) {
    const std::string arm = kind + "-" + method;
    const Estimate gain = results.gain(arm.c_str(), base.c_str());
    if (gain.count == 0) return;
    parts.push_back(fmt::format("{} {} {}", kind, method, results.text(gain)));
    evidence.push_back({kind + " " + method, results.effect(arm, base)});
    const double apart = results.cost_apart(arm, base);
    if (apart > matched_within) {
      evidence.back().open = fmt::format("not matched: {:.1f} % of MACs apart", 100 * apart);
    }
  };
  for (const std::string method : {"budgeted", "static", "adaptive", "capped"}) {
    for (const std::string kind : {"optimized", "efficient", "super"}) {
      compare(kind, method, "standard-" + method);
    }
  }
  for (const std::string method : {"adaptive", "capped"}) {
    compare("standard", method, "standard-budgeted");
  }
  if (parts.empty()) return;
  findings.push_back({22,
                      fmt::format("over Standard with the same budget and MACs, Standard over "
                                  "budgeted: {}",
                                  join(parts, ", ")),
                      evidence});
}

}  // namespace

std::vector<Finding> findings(const ResultsFolder& folder) {
  std::vector<Finding> findings;
  const Results results(folder);
  judge_fewer_parameters(results, findings);
  judge_super(results, findings);
  judge_language_model(results, findings);
  judge_time(folder.timing, "one layer in libtorch, ", findings);
  judge_combination(results, findings);
  return findings;
}

std::vector<Finding> time_findings(const Json& timing) {
  std::vector<Finding> findings;
  if (!timing.contains("cells")) return findings;
  const std::string machine = timing.at("machine").value("cpu", "an unknown CPU");
  judge_time(timing,
             fmt::format("whole models in our engine ([numbers](../attention-kinds.json), `make "
                         "bench-attention`, {}, {}, commit {}), ",
                         machine, timing.value("date", "-"), timing.value("commit", "unknown")),
             findings);
  return findings;
}

std::vector<Finding> size_findings(std::span<const ResultsFolder> folders) {
  std::vector<std::string> parts;
  std::vector<Effect> gains;
  for (const char* task : {"imdb-small", "imdb-medium", "imdb-large"}) {
    for (const ResultsFolder& folder : folders) {
      if (folder.experiment != "variants" || folder.task != task) continue;
      const Results results(folder);
      const Estimate gain = results.gain("super", "standard");
      if (gain.count == 0) continue;
      gains.push_back(results.effect("super", "standard"));
      parts.push_back(fmt::format("{} {}{}", task, results.text(gain), results.last_best()));
    }
  }
  if (gains.size() < 3) return {};
  return {{18,
           fmt::format("Super over Standard: {}", join(parts, "; ")),
           {{"gain of the largest minus the smallest", difference(gains[2], gains[0])}}}};
}

}  // namespace headroom::experiments::variants
