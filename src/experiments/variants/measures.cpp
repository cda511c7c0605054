#include "experiments/variants/measures.h"

namespace headroom {
namespace {

constexpr VariantsMeasure accuracy = {"accuracy", "accuracy, %", 100, true, "points"};
constexpr VariantsMeasure nats = {"loss", "nats per token", 1, false, "nats"};
constexpr VariantsMeasure bleu = {"bleu", "BLEU", 1, true, "BLEU"};

// An arm has one point, at whatever budget its MACs come to; null where the run lacks the arm.
const Json* only_point(const Json& run, const std::string& arm) {
  const auto found = run.at("arms").find(arm);
  return found == run.at("arms").end() ? nullptr : &found->at("points").at(0);
}

}  // namespace

VariantsMeasure variants_measure(const Json& run) {
  const std::string task = run.at("task").get<std::string>();
  if (task == "multi30k") return bleu;
  return task == "shakespeare" ? nats : accuracy;
}

double margin_of(const VariantsMeasure& measure) {
  return measure.higher_is_better ? 1.0 : 0.02;  // a point of accuracy or BLEU; 0.02 nats
}

Estimate variants_gain(const Runs& runs, const std::string& arm, const std::string& base,
                       const VariantsMeasure& measure) {
  std::vector<double> values;
  for (const Json& run : runs) {
    const Json* ours = only_point(run, arm);
    const Json* theirs = only_point(run, base);
    if (ours == nullptr || theirs == nullptr) continue;
    const double difference =
        ours->at(measure.key).get<double>() - theirs->at(measure.key).get<double>();
    values.push_back(measure.scale * (measure.higher_is_better ? difference : -difference));
  }
  return estimate(values);
}

}  // namespace headroom
