#include "experiments/variants/measures.h"

#include "experiments/claims/claims.h"

namespace headroom::experiments::variants {
namespace {

constexpr Measure accuracy = {"accuracy", &Point::accuracy, "accuracy, %", 100, true, "points"};
constexpr Measure nats = {"loss", &Point::loss, "nats per token", 1, false, "nats"};
constexpr Measure bleu = {"bleu", &Point::bleu, "BLEU", 1, true, "BLEU"};

std::optional<double> only_value(const Record& run, const std::string& arm, PointField field) {
  const ArmRecord* found = run.find(arm);
  return found == nullptr || found->points.empty() ? std::nullopt : found->points.front().*field;
}

}  // namespace

Measure measure_of(const Record& run) {
  if (run.task == "multi30k") return bleu;
  return run.task == "shakespeare" ? nats : accuracy;
}

double margin_of(const Measure& measure) {
  return margin_of_unit(measure.unit);
}

report::Estimate gain(const Runs& runs, const std::string& arm, const std::string& base,
                      const Measure& measure) {
  std::vector<double> values;
  for (const Record& run : runs) {
    const std::optional<double> ours = only_value(run, arm, measure.field);
    const std::optional<double> theirs = only_value(run, base, measure.field);
    if (!ours || !theirs) continue;
    const double difference = *ours - *theirs;
    values.push_back(measure.scale * (measure.higher_is_better ? difference : -difference));
  }
  return report::estimate(values);
}

std::vector<double> only_values(const Runs& runs, const std::string& arm, PointField field) {
  std::vector<double> values;
  for (const Record& run : runs) {
    if (const std::optional<double> value = only_value(run, arm, field)) values.push_back(*value);
  }
  return values;
}

}  // namespace headroom::experiments::variants
