#include "load_report.h"

#include <algorithm>

#include "base/measure/interleaved.h"

namespace headroom {

LoadSummary summarise(const std::vector<LoadOutcome>& outcomes, double slo_ms) {
  LoadSummary summary;
  std::vector<double> times;
  std::vector<double> delays;
  double in_time = 0;
  double right = 0;
  double last = 0;
  for (const LoadOutcome& outcome : outcomes) {
    ++summary.sent;
    if (outcome.status == 0) ++summary.lost;
    if (outcome.status == 429) ++summary.refused;
    if (outcome.unreachable) ++summary.unreachable;
    const bool expected = outcome.status == 0 || outcome.status == 200 || outcome.status == 429;
    if (!expected && !outcome.unreachable) ++summary.faults;
    if (outcome.status != 200) continue;
    ++summary.answered;
    times.push_back(1000 * (outcome.done - outcome.due));
    delays.push_back(1000 * (outcome.sent - outcome.due));
    in_time += times.back() <= slo_ms ? 1 : 0;
    right += outcome.right ? 1 : 0;
    summary.mean_budget += outcome.budget;
    last = std::max(last, outcome.done);
  }
  if (times.empty()) return summary;
  const auto answered = static_cast<double>(summary.answered);
  summary.p50_ms = quantile(times, 0.5);
  summary.p90_ms = quantile(times, 0.9);
  summary.p99_ms = quantile(times, 0.99);
  summary.max_ms = *std::max_element(times.begin(), times.end());
  summary.client_delay_p99_ms = quantile(delays, 0.99);
  summary.slo_attainment = in_time / static_cast<double>(summary.sent);
  summary.mean_budget /= answered;
  summary.accuracy = right / answered;
  summary.answers_per_second = answered / last;
  return summary;
}

Json to_json(const LoadSummary& summary) {
  Json json;
  json["sent"] = summary.sent;
  json["answered"] = summary.answered;
  json["refused"] = summary.refused;
  json["unreachable"] = summary.unreachable;
  json["faults"] = summary.faults;
  json["lost"] = summary.lost;
  json["p50_ms"] = summary.p50_ms;
  json["p90_ms"] = summary.p90_ms;
  json["p99_ms"] = summary.p99_ms;
  json["max_ms"] = summary.max_ms;
  json["slo_attainment"] = summary.slo_attainment;
  json["mean_budget"] = summary.mean_budget;
  json["accuracy"] = summary.accuracy;
  json["answers_per_second"] = summary.answers_per_second;
  json["client_delay_p99_ms"] = summary.client_delay_p99_ms;
  return json;
}

}  // namespace headroom
