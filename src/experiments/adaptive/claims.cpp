#include "experiments/adaptive/claims.h"

#include <fmt/format.h>

#include "experiments/adaptive/findings.h"

namespace headroom::experiments::adaptive {
namespace {

constexpr double margin = 0.003;  // "matches" means within 0.3 points
const char* const not_run = "not run";

// One seed has no interval, and proves nothing.
bool surely_above(const Estimate& value, double level) {
  return value.count > 1 && value.low() > level;
}
bool surely_below(const Estimate& value, double level) {
  return value.count > 1 && value.high() < level;
}

Finding accuracy_claim(const Runs& runs, const std::string& ours) {
  const std::vector<double> differences = paired(runs, ours, "dense", &Point::accuracy);
  const Estimate difference = estimate(differences);
  Finding claim{8, "", std::nullopt, not_run};
  if (difference.count == 0) return claim;
  const Interval resampled = bootstrap(differences);
  claim.found = fmt::format("{} minus dense: {} points, p = {:.2f}, bootstrap {:+.2f} to {:+.2f}",
                            ours, spread(differences, 100), t_test(differences),
                            100 * resampled.low, 100 * resampled.high);
  claim.words = surely_above(difference, 0)         ? "holds: better than dense"
                : surely_above(difference, -margin) ? "holds: within 0.3 points of dense"
                : surely_below(difference, -margin) ? "refuted: more than 0.3 points below dense"
                : surely_below(difference, 0)       ? "below dense, by how much is open"
                                                    : "open: the interval has both signs";
  claim.verdict = surely_above(difference, -margin)   ? Verdict::reproduced
                  : surely_below(difference, -margin) ? Verdict::not_reproduced
                                                      : Verdict::inconclusive;
  return claim;
}

Finding heads_claim(const Runs& runs, const std::string& ours) {
  const std::vector<double> active = uncapped(runs, ours, &Point::active_heads);
  Finding claim{9, "", std::nullopt, not_run};
  if (active.empty()) return claim;
  claim.found = fmt::format("s {}, whole heads {}; with heads at 0.01 / 0.05 / 0.2: {} / {} / {}",
                            spread(uncapped(runs, ours, &Point::s_mean)), spread(active),
                            spread(uncapped(runs, "share-weight-0.01", &Point::active_heads)),
                            spread(uncapped(runs, "adaptive", &Point::active_heads)),
                            spread(uncapped(runs, "share-weight-0.2", &Point::active_heads)));
  const Estimate weight_effect =
      estimate(paired(runs, "share-weight-0.01", "share-weight-0.2", &Point::active_heads));
  const bool few = estimate(active).mean <= 0.5;
  claim.words = few ? "holds" : "refuted";
  claim.verdict = few ? Verdict::reproduced : Verdict::not_reproduced;
  if (surely_above(weight_effect, 0.1)) {
    claim.verdict = few ? Verdict::partly : Verdict::not_reproduced;
    claim.words += "; but the number is set by what heads are said to cost";
  }
  return claim;
}

Finding cost_claim(const Runs& runs, const std::string& ours, const Json& timing) {
  Finding claim{10, "", std::nullopt, not_run};
  const std::vector<double> published = uncapped(runs, ours, &Point::published_fraction);
  if (published.empty()) return claim;
  const Estimate whole = estimate(uncapped(runs, ours, &Point::macs_fraction));
  claim.found = fmt::format("saved: {:.1f} % as published, {:.1f} % of the whole model's MACs",
                            100 * (1 - estimate(published).mean), 100 * (1 - whole.mean));
  double time_saved = 0;
  if (timing.contains("arms") && timing.at("arms").contains(ours)) {
    time_saved = timing.at("arms").at(ours).at("time_saved").get<double>();
    claim.found += fmt::format(", {:.1f} % of the time of batches of 32", 100 * time_saved);
  }
  claim.words = whole.mean < 1 ? "holds" : "refuted: controllers cost more than heads save";
  claim.verdict = whole.mean < 1 ? Verdict::reproduced : Verdict::not_reproduced;
  if (time_saved > 0) claim.words += ", in time too";
  return claim;
}

Finding memory_claim(const Runs& runs, const std::string& ours) {
  Finding claim{11, "", std::nullopt, not_run};
  const std::vector<double> dense = memory_peaks(runs, ours, &PeakMemory::dense_bytes);
  const std::vector<double> chosen = memory_peaks(runs, ours, &PeakMemory::chosen_bytes);
  if (dense.empty()) return claim;
  const double saved = 1 - estimate(chosen).mean / estimate(dense).mean;
  claim.found = fmt::format(
      "activations at the peak of 32 texts: {:.1f} MB to {:.1f} MB, {:.1f} % "
      "saved; energy was not measured",
      1e-6 * estimate(dense).mean, 1e-6 * estimate(chosen).mean, 100 * saved);
  claim.words = saved > 0 ? "memory holds; carbon would be FLOPs times a constant"
                          : "refuted for the peak: it lies outside attention";
  claim.verdict = saved > 0 ? Verdict::partly : Verdict::not_reproduced;
  return claim;
}

std::string matters(const std::vector<double>& differences) {
  const Estimate difference = estimate(differences);
  if (difference.count == 0) return not_run;
  if (surely_above(difference, 0)) return "matters";
  if (surely_below(difference, 0)) return "harms";
  return "not shown to matter";
}

Finding ablation_claim(const Runs& runs) {
  const std::vector<double> share = paired(runs, "adaptive", "fixed-share", &Point::accuracy);
  const std::vector<double> heads = paired(runs, "adaptive", "random-heads", &Point::accuracy);
  Finding claim{12, "", std::nullopt, not_run};
  if (share.empty() && heads.empty()) return claim;
  const auto overruled = [&](const auto& point) {
    return spread(numbers_of(runs, "adaptive",
                             [&](const ArmRecord& record) -> std::optional<double> {
                               const Point* found = point(record);
                               return found == nullptr ? std::nullopt : found->accuracy;
                             }),
                  100);
  };
  claim.found = fmt::format(
      "retrained: adaptive minus fixed share {}, minus random heads {} points; overruled at test "
      "time: s = 0.1 / 1 give {} / {} %, random heads {} %",
      spread(share, 100), spread(heads, 100),
      overruled([](const ArmRecord& record) { return fixed_share_point(record, 0); }),
      overruled([](const ArmRecord& record) { return fixed_share_point(record, 3); }),
      overruled(random_heads_point));
  claim.words =
      fmt::format("retrained, which is fair: f_o {}, g_d {}", matters(share), matters(heads));
  const int shown = surely_above(estimate(share), 0) + surely_above(estimate(heads), 0);
  claim.verdict = shown == 2   ? Verdict::reproduced
                  : shown == 1 ? Verdict::partly
                               : Verdict::not_reproduced;
  return claim;
}

Finding difficulty_claim(const Runs& runs, const std::string& ours) {
  const auto correlations = [&](Correlation Difficulty::*kind) {
    return numbers_of(runs, ours, [&](const ArmRecord& record) {
      return record.difficulty ? std::optional(((*record.difficulty).*kind).value) : std::nullopt;
    });
  };
  const std::vector<double> fixed = correlations(&Difficulty::share_and_loss_at_equal_length);
  Finding claim{13, "", std::nullopt, not_run};
  if (fixed.empty()) return claim;
  claim.found = fmt::format(
      "rank correlation of s with a dense model's loss {}, at equal length {}; s in thirds of that "
      "loss {} / {} / {}",
      spread(correlations(&Difficulty::share_and_loss)), spread(fixed),
      spread(third_shares(runs, ours, 0), 1, 3), spread(third_shares(runs, ours, 1), 1, 3),
      spread(third_shares(runs, ours, 2), 1, 3));
  const Estimate correlation = estimate(fixed);
  claim.words = surely_above(correlation, 0)   ? "holds"
                : surely_below(correlation, 0) ? "refuted: harder inputs get fewer"
                                               : "open: the interval has both signs";
  claim.verdict = surely_above(correlation, 0)   ? Verdict::reproduced
                  : surely_below(correlation, 0) ? Verdict::not_reproduced
                                                 : Verdict::inconclusive;
  return claim;
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
  const std::vector<double> constant = change_of(runs, "constant-tau", "q_entropy");
  Finding claim{14, "", std::nullopt, not_run};
  if (scheduled.empty()) return claim;
  claim.found = fmt::format(
      "from the first validation to the last: entropy of q {} nats, {} with constant tau; s {}, {} "
      "with constant tau",
      spread(scheduled), spread(constant), spread(change_of(runs, "adaptive", "s")),
      spread(change_of(runs, "constant-tau", "s")));
  const bool falls = surely_below(estimate(scheduled), 0);
  const bool by_itself = surely_below(estimate(constant), 0);
  claim.words = !falls      ? "open or refuted: entropy does not surely fall"
                : by_itself ? "holds, without the schedule too"
                : constant.empty()
                    ? "holds; without its control"
                    : "forced by the schedule: without it entropy does not surely fall";
  claim.verdict = !falls             ? Verdict::inconclusive
                  : by_itself        ? Verdict::reproduced
                  : constant.empty() ? Verdict::inconclusive
                                     : Verdict::not_reproduced;
  return claim;
}

Finding scaling_claim(const Runs& runs) {
  const std::vector<double> size = paired(runs, "small", "adaptive", &Point::s_mean);
  const std::vector<double> rows = paired(runs, "rows-25", "adaptive", &Point::s_mean);
  Finding claim{15, "", std::nullopt, not_run};
  if (size.empty() && rows.empty()) return claim;
  claim.found =
      fmt::format("s of half the size minus whole {}; of a quarter of the rows {}, of half {}",
                  spread(size, 1, 3), spread(rows, 1, 3),
                  spread(paired(runs, "rows-50", "adaptive", &Point::s_mean), 1, 3));
  const auto verdict = [](const std::vector<double>& values) {
    const Estimate value = estimate(values);
    if (value.count == 0) return not_run;
    return surely_above(value, 0) ? "holds" : surely_below(value, 0) ? "refuted" : "open";
  };
  claim.words = fmt::format("size: {}; data: {}", verdict(size), verdict(rows));
  const int hold = surely_above(estimate(size), 0) + surely_above(estimate(rows), 0);
  claim.verdict = hold == 2   ? Verdict::reproduced
                  : hold == 1 ? Verdict::partly
                              : Verdict::inconclusive;
  return claim;
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
