#include "experiments/adaptive/findings.h"

#include <fmt/format.h>

namespace headroom {
namespace {

constexpr Arm known_arms[] = {
    {"dense", "dense, every head", /*only_full=*/true},
    {"adaptive", "adaptive, end to end"},
    {"adaptive-warm", "adaptive after a dense half"},
    {"static", "the same heads for every text", /*only_full=*/true},
    {"fixed-share", "retrained without f_o, as many heads"},
    {"fixed-all", "retrained without f_o, s = 1"},
    {"random-heads", "retrained without g_d"},
    {"constant-tau", "adaptive, constant tau"},
    {"share-weight-0.01", "adaptive, heads cost 0.01"},
    {"share-weight-0.2", "adaptive, heads cost 0.2"},
    {"head-dropout", "dense with head dropout", /*only_full=*/true},
    {"heads-1", "dense, 1 head", /*only_full=*/true},
    {"heads-2", "dense, 2 heads", /*only_full=*/true},
    {"heads-4", "dense, 4 heads", /*only_full=*/true},
    {"small", "adaptive, half as deep and wide"},
    {"rows-25", "adaptive, a quarter of the rows"},
    {"rows-50", "adaptive, half of the rows"},
};

}  // namespace

Arms adaptive_arms() {
  return known_arms;
}

std::vector<double> uncapped(const Runs& runs, const std::string& arm, const char* key) {
  return values_of(runs, arm, 1.0, key);
}

std::vector<double> paired(const Runs& runs, const std::string& a, const std::string& b,
                           const char* key, double cap) {
  std::vector<double> differences;
  for (const Json& run : runs) {
    const Json* first = find_point(run, a, cap);
    const Json* second = find_point(run, b, 1.0);
    if (first == nullptr || second == nullptr) continue;
    if (!first->contains(key) || !second->contains(key)) continue;
    differences.push_back(first->at(key).get<double>() - second->at(key).get<double>());
  }
  return differences;
}

std::vector<double> at_path(const Runs& runs, const std::string& arm, const std::string& path) {
  std::vector<double> values;
  for (const Json& run : runs) {
    const Json::json_pointer place(fmt::format("/arms/{}{}", arm, path));
    if (run.contains(place)) values.push_back(run.at(place).get<double>());
  }
  return values;
}

std::string spread(const std::vector<double>& values, double scale, int decimals) {
  const Estimate value = estimate(values);
  if (value.count == 0) return "-";
  const std::string mean = fmt::format("{:.{}f}", scale * value.mean, decimals);
  return value.count == 1 ? mean
                          : fmt::format("{} ± {:.{}f}", mean, scale * value.half_width, decimals);
}

std::string chosen_adaptive(const Runs& runs) {
  const auto validation = [&](const char* arm) {
    return estimate(values_of(runs, arm, 1.0, "accuracy", "validation"));
  };
  const Estimate plain = validation("adaptive");
  const Estimate warm = validation("adaptive-warm");
  return warm.count >= plain.count && warm.mean > plain.mean ? "adaptive-warm" : "adaptive";
}

}  // namespace headroom
