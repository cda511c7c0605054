#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/join.h"
#include "experiments/claims/claims.h"
#include "experiments/variants/measures.h"

namespace headroom::experiments::variants {
namespace {

// The arms of one folder against each other.
class Results {
 public:
  explicit Results(const ResultsFolder& folder)
      : folder_(folder), measure_(measure_of(folder.runs.front())) {}

  const ResultsFolder& folder() const { return folder_; }
  double margin() const { return margin_of(measure_); }
  Estimate gain(const char* arm, const char* base) const {
    return variants::gain(folder_.runs, arm, base, measure_);
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

// "No worse than the other by the margin": shown, refuted, or neither.
Verdict not_worse(const Estimate& gain, double margin) {
  if (gain.count < 2) return Verdict::inconclusive;
  if (gain.low() > -margin) return Verdict::reproduced;
  return gain.high() < -margin ? Verdict::not_reproduced : Verdict::inconclusive;
}

Verdict better(const Estimate& gain) {
  if (gain.count < 2) return Verdict::inconclusive;
  if (gain.low() > 0) return Verdict::reproduced;
  return gain.high() < 0 ? Verdict::not_reproduced : Verdict::inconclusive;
}

void judge_fewer_parameters(const Results& results, std::vector<Finding>& findings) {
  const Estimate optimized = results.gain("optimized", "standard");
  const Estimate efficient = results.gain("efficient", "standard");
  if (optimized.count == 0 || efficient.count == 0) return;
  const Verdict first = not_worse(optimized, results.margin());
  const Verdict second = not_worse(efficient, results.margin());
  const bool one = first == Verdict::reproduced || second == Verdict::reproduced;
  findings.push_back(
      {16,
       fmt::format("over Standard: Optimized {}, Efficient {}; a Standard of half the heads {}",
                   results.text(optimized), results.text(efficient),
                   results.text(results.gain("standard-matched", "standard"))),
       first == second ? first
       : one           ? Verdict::partly
                       : Verdict::inconclusive});
}

// Better than Standard, and not only because tokens are mixed once more.
void judge_super(const Results& results, std::vector<Finding>& findings) {
  const Estimate over_standard = results.gain("super", "standard");
  if (over_standard.count == 0) return;
  const Estimate over_mixing = results.gain("super", "standard-mixing");
  const Verdict beats = better(over_standard);
  const bool explained = better(over_mixing) != Verdict::reproduced;
  findings.push_back({17,
                      fmt::format("Super over Standard {}, over Standard with the same mixing "
                                  "matrix {}, over Efficient {}",
                                  results.text(over_standard), results.text(over_mixing),
                                  results.text(results.gain("super", "efficient"))),
                      beats == Verdict::reproduced && explained ? Verdict::partly : beats});
}

void judge_language_model(const Results& results, std::vector<Finding>& findings) {
  const Estimate over_matched = results.gain("super", "standard-matched");
  if (over_matched.count == 0) return;
  findings.push_back(
      {21,
       fmt::format("Super over a Standard of half the heads {}, over the whole Standard {}",
                   results.text(over_matched), results.text(results.gain("super", "standard"))),
       better(over_matched)});
}

void judge_time(const ResultsFolder& folder, std::vector<Finding>& findings) {
  if (!folder.timing.contains("cells")) return;
  std::map<std::string, std::vector<double>> ratios;
  for (const Json& cell : folder.timing.at("cells")) {
    const std::string kind = cell.at("attention").get<std::string>();
    if (kind != "standard") ratios[kind].push_back(cell.at("over_standard").get<double>());
  }
  std::vector<std::string> parts;
  size_t always_faster = 0;
  for (const auto& [kind, values] : ratios) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    parts.push_back(fmt::format("{} {:.2f} to {:.2f}", kind, *least, *most));
    always_faster += *most < 1 ? 1 : 0;
  }
  if (parts.empty()) return;
  findings.push_back({20, fmt::format("time over Standard's: {}", join(parts, ", ")),
                      always_faster == ratios.size() ? Verdict::reproduced
                      : always_faster > 0            ? Verdict::partly
                                                     : Verdict::not_reproduced});
}

// The best kind under a budget against Standard under the same one.
void judge_combination(const Results& results, std::vector<Finding>& findings) {
  std::vector<std::string> parts;
  Verdict verdict = Verdict::not_reproduced;
  for (const std::string method : {"budgeted", "static"}) {
    for (const std::string kind : {"optimized", "efficient", "super"}) {
      const Estimate gain =
          results.gain((kind + "-" + method).c_str(), ("standard-" + method).c_str());
      if (gain.count == 0) continue;
      parts.push_back(fmt::format("{} {} {}", kind, method, results.text(gain)));
      if (better(gain) == Verdict::reproduced) verdict = Verdict::reproduced;
      if (better(gain) == Verdict::inconclusive && verdict == Verdict::not_reproduced) {
        verdict = Verdict::inconclusive;
      }
    }
  }
  if (parts.empty()) return;
  findings.push_back(
      {22, fmt::format("over Standard with the same budget and MACs: {}", join(parts, ", ")),
       verdict});
}

}  // namespace

std::vector<Finding> findings(const ResultsFolder& folder) {
  std::vector<Finding> findings;
  const Results results(folder);
  judge_fewer_parameters(results, findings);
  judge_super(results, findings);
  judge_language_model(results, findings);
  judge_time(folder, findings);
  judge_combination(results, findings);
  return findings;
}

std::vector<Finding> size_findings(std::span<const ResultsFolder> folders) {
  std::vector<std::string> parts;
  std::vector<Estimate> gains;
  for (const char* task : {"imdb-small", "imdb-medium", "imdb-large"}) {
    for (const ResultsFolder& folder : folders) {
      if (folder.experiment != "variants" || folder.task != task) continue;
      const Results results(folder);
      const Estimate gain = results.gain("super", "standard");
      if (gain.count == 0) continue;
      gains.push_back(gain);
      parts.push_back(fmt::format("{} {}", task, results.text(gain)));
    }
  }
  if (gains.size() < 3) return {};
  const bool rises = gains[0].mean < gains[1].mean && gains[1].mean < gains[2].mean;
  const bool apart = gains[2].low() > gains[0].high();
  const bool falls = gains[2].high() < gains[0].low();
  return {{18, fmt::format("Super over Standard: {}", join(parts, ", ")),
           rises && apart ? Verdict::reproduced
           : falls        ? Verdict::not_reproduced
                          : Verdict::inconclusive}};
}

}  // namespace headroom::experiments::variants
