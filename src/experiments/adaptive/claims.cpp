#include "experiments/adaptive/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/join.h"
#include "experiments/adaptive/findings.h"
#include "experiments/record/test_rows.h"

namespace headroom::experiments::adaptive {
namespace {

constexpr double matched_within = 0.02;  // of all heads, on average

Effect effect(const std::vector<double>& values, const std::string& unit, double scale = 1) {
  std::vector<double> scaled = values;
  for (double& value : scaled) value *= scale;
  return effect_of(scaled, unit);
}

// Of accuracies, over test rows too where they are stored.
Effect points_over(const Runs& runs, const std::string& ours, const std::string& other) {
  return with_rows(effect(paired(runs, ours, other, &Point::accuracy), "points", 100),
                   paired_by_row(runs, ours, 1.0, other, 1.0), 100);
}

// What the controls that were run have over dense: "; static +0.10 ± 0.20, ...".
std::string controls(const Runs& runs) {
  std::vector<std::string> parts;
  for (const char* arm : {"static", "head-dropout", "heads-1", "heads-2", "heads-4"}) {
    const std::vector<double> over = paired(runs, arm, "dense", &Point::accuracy);
    if (!over.empty()) parts.push_back(fmt::format("{} {}", arm, spread(over, 100)));
  }
  return parts.empty() ? "" : "; controls minus dense: " + join(parts, ", ");
}

// Seeds where the rate that validated best is not the same: "; ...: seed 1 dense 0.001, adaptive
// 0.0005".
std::string unequal_rates(const Runs& runs, const std::string& ours) {
  std::vector<std::string> parts;
  for (const Record& run : runs) {
    const ArmRecord* const dense = run.find("dense");
    const ArmRecord* const other = run.find(ours);
    if (dense == nullptr || other == nullptr || !dense->rate || !other->rate) continue;
    if (*dense->rate == *other->rate) continue;
    parts.push_back(
        fmt::format("seed {} dense {:g}, {} {:g}", run.seed, *dense->rate, ours, *other->rate));
  }
  return parts.empty() ? "" : "; the rate that validated best differs: " + join(parts, "; ");
}

Finding accuracy_claim(const Runs& runs, const std::string& ours) {
  const std::vector<double> differences = paired(runs, ours, "dense", &Point::accuracy);
  if (differences.empty()) return {8, "", {}};
  return {8,
          fmt::format("{} minus dense: {} points, p = {:.2f}{}{}", ours, spread(differences, 100),
                      t_test(differences), controls(runs), unequal_rates(runs, ours)),
          {{"minus dense", points_over(runs, ours, "dense")}}};
}

Finding heads_claim(const Runs& runs, const std::string& ours) {
  const std::vector<double> active = uncapped(runs, ours, &Point::active_heads);
  if (active.empty()) return {9, "", {}};
  return {9,
          fmt::format("s {}, whole heads {}; with heads at 0.01 / 0.05 / 0.2: {} / {} / {}",
                      spread(uncapped(runs, ours, &Point::s_mean)), spread(active),
                      spread(uncapped(runs, "share-weight-0.01", &Point::active_heads)),
                      spread(uncapped(runs, "adaptive", &Point::active_heads)),
                      spread(uncapped(runs, "share-weight-0.2", &Point::active_heads))),
          {{"share of heads", effect(active, "of all heads")},
           {"share at cost 0.01 minus at 0.2",
            effect(paired(runs, "share-weight-0.01", "share-weight-0.2", &Point::active_heads),
                   "of all heads")}}};
}

Finding cost_claim(const Runs& runs, const std::string& ours, const Json& timing) {
  const std::vector<double> published = uncapped(runs, ours, &Point::published_fraction);
  if (published.empty()) return {10, "", {}};
  std::vector<double> saved = uncapped(runs, ours, &Point::macs_fraction);
  for (double& value : saved) value = 1 - value;
  Finding claim{10,
                fmt::format("saved: {:.1f} % as published, {:.1f} % of the whole model's MACs",
                            100 * (1 - estimate(published).mean), 100 * estimate(saved).mean),
                {{"saved MACs of the whole model", effect(saved, "%", 100)}}};
  if (timing.contains("arms") && timing.at("arms").contains(ours)) {
    claim.found += fmt::format(", {:.1f} % of the time of batches of 32",
                               100 * timing.at("arms").at(ours).at("time_saved").get<double>());
  }
  return claim;
}

// All heads and chosen ones through one executor. Records from before that was measured hold all
// heads at once against chosen heads one at a time: that difference is the executors'.
Finding memory_claim(const Runs& runs, const std::string& ours) {
  const std::vector<double> chosen = memory_peaks(runs, ours, &PeakMemory::chosen_bytes);
  if (chosen.empty()) return {11, "", {}};
  const std::vector<double> all = all_heads_peaks(runs, ours);
  Finding claim{11, "", {}};
  std::vector<double> saved;
  for (size_t i = 0; i < std::min(all.size(), chosen.size()); ++i) {
    saved.push_back(100 * (1 - chosen[i] / all[i]));
  }
  claim.found =
      saved.empty()
          ? fmt::format(
                "the peak with chosen heads, one at a time, is {} MB in every seed and "
                "arm, whatever was chosen; all heads were not run that way. Energy was not "
                "measured",
                spread(chosen, 1e-6))
          : fmt::format(
                "activations at the peak of 32 texts, heads one at a time: {} MB with all "
                "heads, {} MB with chosen ones. Energy was not measured",
                spread(all, 1e-6), spread(chosen, 1e-6));
  claim.evidence = {{"peak memory saved by choosing, one executor", effect(saved, "%")},
                    {"energy saved", effect({}, "%")}};
  return claim;
}

// An ablation says something only about arms of as many heads.
Evidence ablation(const Runs& runs, const std::string& test, const std::string& whole,
                  const std::string& arm) {
  Evidence evidence{test, points_over(runs, whole, arm)};
  const std::vector<double> heads = paired(runs, whole, arm, &Point::active_heads);
  const double apart = std::abs(estimate(heads).mean);
  if (apart > matched_within) {
    evidence.open = fmt::format("not matched: {:.3f} of all heads apart", apart);
  }
  return evidence;
}

Finding ablation_claim(const Runs& runs) {
  // Matched arms where they were run, else those of the first version.
  const auto arm = [&](const std::string& name) {
    const std::string matched = name + "-matched";
    return uncapped(runs, matched, &Point::accuracy).empty() ? name : matched;
  };
  const std::string share = arm("fixed-share");
  const std::string heads = arm("random-heads");
  const std::vector<double> over_share = paired(runs, "adaptive", share, &Point::accuracy);
  // Matched random heads lack f_o too: what they are compared with differs in g_d alone.
  const std::string scored = heads == "random-heads-matched" ? "fixed-share-matched" : "adaptive";
  const std::vector<double> over_heads = paired(runs, scored, heads, &Point::accuracy);
  if (over_share.empty() && over_heads.empty()) return {12, "", {}};
  const auto overruled = [&](const auto& point) {
    return spread(numbers_of(runs, "adaptive",
                             [&](const ArmRecord& record) -> std::optional<double> {
                               const Point* found = point(record);
                               return found == nullptr ? std::nullopt : found->accuracy;
                             }),
                  100);
  };
  return {12,
          fmt::format("retrained: adaptive ({} of all heads) minus {} ({}) {}, {} minus {} ({}) {} "
                      "points; overruled at test time: s = 0.1 / 1 give {} / {} %, random heads "
                      "{} %",
                      spread(uncapped(runs, "adaptive", &Point::active_heads), 1, 3), share,
                      spread(uncapped(runs, share, &Point::active_heads), 1, 3),
                      spread(over_share, 100), scored, heads,
                      spread(uncapped(runs, heads, &Point::active_heads), 1, 3),
                      spread(over_heads, 100),
                      overruled([](const ArmRecord& r) { return fixed_share_point(r, 0); }),
                      overruled([](const ArmRecord& r) { return fixed_share_point(r, 3); }),
                      overruled(random_heads_point)),
          {ablation(runs, "minus fixed share", "adaptive", share),
           ablation(runs, "minus random heads", scored, heads)}};
}

Finding difficulty_claim(const Runs& runs, const std::string& ours) {
  const auto correlations = [&](Correlation Difficulty::*kind) {
    return numbers_of(runs, ours, [&](const ArmRecord& record) {
      return record.difficulty ? std::optional(((*record.difficulty).*kind).value) : std::nullopt;
    });
  };
  const std::vector<double> fixed = correlations(&Difficulty::share_and_loss_at_equal_length);
  if (fixed.empty()) return {13, "", {}};
  return {13,
          fmt::format("rank correlation of s with a dense model's loss {}, at equal length {}; s "
                      "in thirds of that loss {} / {} / {}",
                      spread(correlations(&Difficulty::share_and_loss)), spread(fixed),
                      spread(third_shares(runs, ours, 0), 1, 3),
                      spread(third_shares(runs, ours, 1), 1, 3),
                      spread(third_shares(runs, ours, 2), 1, 3)),
          {{"rank correlation at equal length", effect(fixed, "")}}};
}

// Mean over layers of a per-layer field in the last validation, less that in the first.
std::vector<double> change_of(const Runs& runs, const std::string& arm, const std::string& field) {
  return numbers_of(runs, arm, [&](const ArmRecord& record) -> std::optional<double> {
    if (record.curve.size() < 2) return std::nullopt;
    return record.curve.back().mean(field).value_or(0) -
           record.curve.front().mean(field).value_or(0);
  });
}

Finding entropy_claim(const Runs& runs) {
  const std::vector<double> scheduled = change_of(runs, "adaptive", "q_entropy");
  if (scheduled.empty()) return {14, "", {}};
  const std::vector<double> constant = change_of(runs, "constant-tau", "q_entropy");
  const std::vector<double> cheap = change_of(runs, "share-weight-0.01", "s");
  return {14,
          fmt::format("from the first validation to the last: entropy of q {} nats, {} with "
                      "constant tau; s {}, {} where heads cost 0.01",
                      spread(scheduled), spread(constant), spread(change_of(runs, "adaptive", "s")),
                      spread(cheap)),
          {{"entropy of q at a constant temperature", effect(constant, "nats")},
           {"s where heads cost a fifth", effect(cheap, "")}}};
}

Finding scaling_claim(const Runs& runs) {
  const std::vector<double> size = paired(runs, "small", "adaptive", &Point::s_mean);
  const std::vector<double> rows = paired(runs, "rows-25", "adaptive", &Point::s_mean);
  if (size.empty() && rows.empty()) return {15, "", {}};
  return {15,
          fmt::format("s of half the size minus whole {}; of a quarter of the rows {}, of half {}",
                      spread(size, 1, 3), spread(rows, 1, 3),
                      spread(paired(runs, "rows-50", "adaptive", &Point::s_mean), 1, 3)),
          {{"s of half the size minus whole", effect(size, "")},
           {"s of a quarter of the rows minus all", effect(rows, "")}}};
}

}  // namespace

std::vector<Finding> judge(const Runs& runs, const std::string& ours, const Json& timing) {
  return {accuracy_claim(runs, ours), heads_claim(runs, ours), cost_claim(runs, ours, timing),
          memory_claim(runs, ours),   ablation_claim(runs),    difficulty_claim(runs, ours),
          entropy_claim(runs),        scaling_claim(runs)};
}

std::vector<Finding> findings(const ResultsFolder& folder) {
  return judge(folder.runs, chosen_arm(folder.runs), folder.timing);
}

}  // namespace headroom::experiments::adaptive
