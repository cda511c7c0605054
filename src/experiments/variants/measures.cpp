#include "experiments/variants/measures.h"

#include "experiments/claims/claims.h"
#include "experiments/record/test_rows.h"

namespace headroom::experiments::variants {
namespace {

constexpr Measure accuracy = {"accuracy", &Point::accuracy, "accuracy, %", 100, true, "points"};
constexpr Measure nats = {"loss", &Point::loss, "nats per token", 1, false, "nats"};
constexpr Measure bleu = {"bleu", &Point::bleu, "BLEU", 1, true, "BLEU"};

const Point* only_point(const Record& run, const std::string& arm) {
  const ArmRecord* found = run.find(arm);
  return found == nullptr || found->points.empty() ? nullptr : &found->points.front();
}

std::optional<double> only_value(const Record& run, const std::string& arm, PointField field) {
  const Point* point = only_point(run, arm);
  return point == nullptr ? std::nullopt : point->*field;
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

std::vector<double> row_gains(const Runs& runs, const std::string& arm, const std::string& base,
                              const Measure& measure) {
  if (measure.field != &Point::accuracy) return {};
  return paired_by_row(
      runs, [&](const Record& run) { return only_point(run, arm); },
      [&](const Record& run) { return only_point(run, base); });
}

LastBest last_best(const Runs& runs) {
  LastBest best;
  for (const Record& run : runs) {
    for (const NamedArm& named : run.arms) {
      if (!named.arm.best_step || !named.arm.steps) continue;
      ++best.runs;
      if (*named.arm.best_step >= *named.arm.steps) ++best.last;
    }
  }
  return best;
}

std::vector<double> only_values(const Runs& runs, const std::string& arm, PointField field) {
  std::vector<double> values;
  for (const Record& run : runs) {
    if (const std::optional<double> value = only_value(run, arm, field)) values.push_back(*value);
  }
  return values;
}

}  // namespace headroom::experiments::variants
