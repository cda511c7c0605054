#include "budget/latency_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"

namespace headroom {
namespace {

template <typename Number, typename Get>
std::vector<Number> distinct(const std::vector<LatencyCell>& cells, const Get& get) {
  std::set<Number> values;
  for (const LatencyCell& cell : cells) values.insert(get(cell));
  return {values.begin(), values.end()};
}

LatencyEstimate blend(const LatencyEstimate& a, const LatencyEstimate& b, double share) {
  return {a.median_ms + share * (b.median_ms - a.median_ms),
          a.p90_ms + share * (b.p90_ms - a.p90_ms)};
}

LatencyEstimate scaled(const LatencyEstimate& a, double factor) {
  return {a.median_ms * factor, a.p90_ms * factor};
}

LatencyEstimate measured(const LatencyTable& table, double budget, int64_t tokens) {
  const auto found = std::find_if(
      table.cells.begin(), table.cells.end(),
      [&](const LatencyCell& cell) { return cell.budget == budget && cell.tokens == tokens; });
  return {found->median_ms, found->p90_ms};
}

// Between which measured lengths a length lies: the same for every budget of a request.
struct LengthInterpolation {
  int64_t below = 0;
  int64_t above = 0;
  double share = 0;   // of the way from below to above
  double factor = 1;  // beyond the longest, time grows in proportion
};

LengthInterpolation interpolation_at(const std::vector<int64_t>& lengths, int64_t tokens) {
  const auto above = std::lower_bound(lengths.begin(), lengths.end(), tokens);
  if (above == lengths.end()) {
    return {lengths.back(), lengths.back(), 0,
            static_cast<double>(tokens) / static_cast<double>(lengths.back())};
  }
  // Shorter than the shortest: no faster. Fixed costs do not shrink.
  if (*above == tokens || above == lengths.begin()) return {*above, *above};
  const int64_t below = *(above - 1);
  return {below, *above, static_cast<double>(tokens - below) / static_cast<double>(*above - below)};
}

// At a measured budget.
LatencyEstimate estimate_at(const LatencyTable& table, double budget,
                            const LengthInterpolation& between) {
  const LatencyEstimate below = measured(table, budget, between.below);
  if (between.below == between.above) return scaled(below, between.factor);
  return blend(below, measured(table, budget, between.above), between.share);
}

}  // namespace

std::vector<double> LatencyTable::budgets() const {
  return distinct<double>(cells, [](const LatencyCell& cell) { return cell.budget; });
}

std::vector<int64_t> LatencyTable::lengths() const {
  return distinct<int64_t>(cells, [](const LatencyCell& cell) { return cell.tokens; });
}

LatencyEstimate LatencyTable::estimate(double budget, int64_t tokens) const {
  const LengthInterpolation between = interpolation_at(lengths(), tokens);
  const std::vector<double> known = budgets();
  const auto above = std::lower_bound(known.begin(), known.end(), budget);
  if (above == known.end()) return estimate_at(*this, known.back(), between);
  if (*above == budget || above == known.begin()) return estimate_at(*this, *above, between);
  const double below = *(above - 1);
  return blend(estimate_at(*this, below, between), estimate_at(*this, *above, between),
               (budget - below) / (*above - below));
}

std::optional<double> LatencyTable::largest_budget(double target_ms, int64_t tokens) const {
  const LengthInterpolation between = interpolation_at(lengths(), tokens);
  std::optional<double> best;
  for (const double budget : budgets()) {
    if (estimate_at(*this, budget, between).p90_ms <= target_ms) best = budget;
  }
  return best;
}

double LatencyTable::budget_for(double target_ms, int64_t tokens) const {
  const std::optional<double> budget = largest_budget(target_ms, tokens);
  if (budget) return *budget;
  const double least = budgets().front();
  throw Error(ErrorCode::target_unreachable, "choose budget",
              fmt::format("{} tokens take {:.3f} ms (p90) at the smallest calibrated budget, {}; "
                          "{} ms were asked for",
                          tokens, estimate(least, tokens).p90_ms, least, target_ms));
}

Json to_json(const LatencyTable& table) {
  Json json = {{"machine", table.machine},
               {"precision", table.precision},
               {"threads", table.threads},
               {"date", table.date},
               {"cells", Json::array()}};
  for (const LatencyCell& cell : table.cells) {
    json["cells"].push_back({{"budget", cell.budget},
                             {"tokens", cell.tokens},
                             {"median_ms", cell.median_ms},
                             {"p90_ms", cell.p90_ms}});
  }
  return json;
}

LatencyTable latency_table_from_json(const Json& json) {
  const std::string origin = "latency table";
  const JsonFields fields(json, ErrorCode::bad_model, origin);
  LatencyTable table;
  table.machine = fields.text("machine");
  table.precision = fields.text("precision");
  table.threads = static_cast<int>(fields.integer("threads", 1, 1024));
  table.date = fields.text_or("date", "");
  if (fields.array("cells").size() > max_latency_cells) {
    fields.fail("cells", fmt::format("holds more than {} cells", max_latency_cells));
  }
  for (const Json& entry : fields.array("cells")) {
    const JsonFields cell(entry, ErrorCode::bad_model, origin + " cell");
    table.cells.push_back({cell.number("budget", 1e-6, 1.0), cell.integer("tokens", 1, 1 << 20),
                           cell.number("median_ms", 1e-9, 1e9), cell.number("p90_ms", 1e-9, 1e9)});
    if (table.cells.back().p90_ms < table.cells.back().median_ms) {
      cell.fail("p90_ms", "is below median_ms");
    }
  }
  std::set<std::pair<double, int64_t>> seen;
  for (const LatencyCell& cell : table.cells) seen.emplace(cell.budget, cell.tokens);
  const size_t expected = table.budgets().size() * table.lengths().size();
  if (table.cells.empty() || seen.size() != expected || table.cells.size() != expected) {
    fields.fail("cells",
                fmt::format("holds {} cells, expected each of {} budgets at each of {} "
                            "lengths once",
                            table.cells.size(), table.budgets().size(), table.lengths().size()));
  }
  return table;
}

}  // namespace headroom
