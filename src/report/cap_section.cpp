#include "report/cap_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/plot/time_plot.h"

namespace headroom::report {
namespace {

struct Speedup {
  double budget = 1;
  double measured = 1;
  double cap = 1;
};

std::optional<Speedup> speedup_near_half(const Json& timing) {
  std::optional<Speedup> nearest;
  const auto distance = [](double budget) { return std::abs(budget - 0.5); };
  for (const Json& cell : single_text_cells(timing)) {
    const double budget = cell.at("budget").get<double>();
    if (budget == 1.0 || (nearest && distance(nearest->budget) <= distance(budget))) continue;
    nearest = {budget, cell.at("speedup").get<double>(), cell.at("speedup_cap").get<double>()};
  }
  return nearest;
}

// Slow rounds that take this much longer than fast ones tell of other programs at work.
constexpr double noisy_ratio = 1.5;

bool is_noisy(const Json& timing) {
  const Json cells = timing.value("cells", Json::array());
  return std::any_of(cells.begin(), cells.end(), [](const Json& cell) {
    return cell.value("p90_ms", 0.0) > noisy_ratio * cell.value("p10_ms", 0.0);
  });
}

}  // namespace

std::string cap_section(const Json& timing) {
  std::string html;
  if (const std::optional<Speedup> half = speedup_near_half(timing)) {
    html = paragraph(fmt::format(
        "At budget {} one text ran {:.2f} times as fast as at budget 1. If time followed MACs it "
        "would be {:.2f} times, so {:.0f} % of the cap is reached. Above 100 % is possible: what a "
        "smaller budget leaves out (memory traffic, softmax) is not counted as MACs.",
        half->budget, half->measured, half->cap, 100 * half->measured / half->cap));
  }
  if (is_noisy(timing)) {
    html += paragraph(
        "Take these times with care: while they were measured, slow rounds took more than half as "
        "long again as fast ones. Was the machine busy?");
  }
  return html +
         html_figure(speedup_plot(timing),
                     "Where a measured curve meets its cap, time "
                     "falls as fast as MACs.") +
         html_table(timing_table(timing));
}

void add_speedup(std::vector<KeyNumber>& numbers, const Json& timing) {
  const std::optional<Speedup> half = speedup_near_half(timing);
  if (!half) return;
  numbers.push_back({fmt::format("{:.2f}x", half->measured),
                     fmt::format("measured speed-up at budget {}, {:.0f} % of its cap",
                                 half->budget, 100 * half->measured / half->cap)});
}

}  // namespace headroom::report
