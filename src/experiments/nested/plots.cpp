#include "experiments/nested/plots.h"

#include "report/plot/accuracy_plot.h"
#include "report/plot/time_plot.h"

namespace headroom {
namespace {

std::string draw_if_any(const LinePlot& plot) {
  return plot.series.empty() ? "" : draw(plot);
}

}  // namespace

std::string nested_accuracy_plot(const Runs& runs, const Arm& ours, Arms arms,
                                 const std::vector<double>& budgets) {
  return draw_if_any(framed_accuracy_plot(runs, ours, arms, budgets));
}

std::string nested_time_plot(const Runs& runs, const Arm& ours, const Json& timing) {
  const Arm shown[] = {ours, {"dense", "dense", /*only_full=*/true}};
  return draw_if_any(accuracy_time_plot(runs, ours, shown, timing));
}

}  // namespace headroom
