#include "experiments/adaptive/findings.h"

#include <fmt/format.h>

namespace headroom::experiments::adaptive {
namespace {

constexpr Arm known_arms[] = {
    {"dense", "dense, every head", /*only_full=*/true},
    {"adaptive", "adaptive, end to end"},
    {"adaptive-warm", "adaptive after a dense half"},
    {"static", "the same heads for every text", /*only_full=*/true},
    {"fixed-share", "retrained without f_o, as many heads"},
    {"fixed-share-matched", "retrained without f_o, the same heads per layer"},
    {"fixed-all", "retrained without f_o, s = 1"},
    {"random-heads", "retrained without g_d"},
    {"random-heads-matched", "retrained without f_o and g_d, the same heads per layer"},
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

Arms arms() {
  return known_arms;
}

std::vector<double> uncapped(const Runs& runs, const std::string& arm, PointField field) {
  return values_of(runs, arm, 1.0, field);
}

std::vector<double> paired(const Runs& runs, const std::string& a, const std::string& b,
                           PointField field, double cap) {
  return experiments::paired(runs, a, cap, b, 1.0, field);
}

std::vector<double> third_shares(const Runs& runs, const std::string& arm, size_t third) {
  return numbers_of(runs, arm, [&](const ArmRecord& record) -> std::optional<double> {
    if (!record.difficulty || record.difficulty->thirds.size() <= third) return std::nullopt;
    return record.difficulty->thirds[third].s_mean;
  });
}

std::vector<double> memory_peaks(const Runs& runs, const std::string& arm,
                                 double PeakMemory::*executor) {
  return numbers_of(runs, arm, [&](const ArmRecord& record) {
    return record.memory ? std::optional((*record.memory).*executor) : std::nullopt;
  });
}

std::vector<double> all_heads_peaks(const Runs& runs, const std::string& arm) {
  return numbers_of(runs, arm, [&](const ArmRecord& record) {
    return record.memory ? record.memory->all_heads_bytes : std::nullopt;
  });
}

const Point* fixed_share_point(const ArmRecord& record, size_t i) {
  if (!record.overrides || record.overrides->fixed_share.size() <= i) return nullptr;
  return &record.overrides->fixed_share[i];
}

const Point* random_heads_point(const ArmRecord& record) {
  return record.overrides && record.overrides->random_heads ? &*record.overrides->random_heads
                                                            : nullptr;
}

std::string spread(const std::vector<double>& values, double scale, int decimals) {
  const Estimate value = estimate(values);
  if (value.count == 0) return "-";
  const std::string mean = fmt::format("{:.{}f}", scale * value.mean, decimals);
  return value.count == 1 ? mean
                          : fmt::format("{} ± {:.{}f}", mean, scale * value.half_width, decimals);
}

std::string chosen_arm(const Runs& runs) {
  const auto validation = [&](const char* arm) {
    return estimate(values_of(runs, arm, 1.0, &Point::accuracy, &ArmRecord::validation));
  };
  const Estimate plain = validation("adaptive");
  const Estimate warm = validation("adaptive-warm");
  return warm.count >= plain.count && warm.mean > plain.mean ? "adaptive-warm" : "adaptive";
}

}  // namespace headroom::experiments::adaptive
