#include "engine/answers/calibration.h"

#include <functional>
#include <span>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/measure/interleaved.h"
#include "base/measure/machine.h"
#include "budget/bench_cell.h"
#include "engine/session.h"

namespace headroom {
namespace {

std::vector<LatencyCell> measure(Session& session, int64_t tokens,
                                 const CalibrationSettings& settings) {
  constexpr uint64_t seed = 1;
  const Tokens input{random_ids(session.model().config().shape.vocabulary, tokens, seed), {}};
  std::vector<std::function<void()>> runs;
  for (const double budget : settings.budgets) {
    runs.emplace_back([&, budget] { session.run(std::span(&input, 1), Budget{budget}); });
  }
  const auto times = time_interleaved(runs, settings.warmup, settings.rounds, seed);
  std::vector<LatencyCell> cells;
  for (size_t i = 0; i < runs.size(); ++i) {
    cells.push_back(
        {settings.budgets[i], tokens, quantile(times[i], 0.5), quantile(times[i], 0.9)});
  }
  return cells;
}

}  // namespace

std::vector<int64_t> calibration_lengths(int64_t longest) {
  std::vector<int64_t> lengths;
  for (int64_t length = 8; length < longest; length += length < 16 ? 8 : length / 16 * 8) {
    lengths.push_back(length);
  }
  lengths.push_back(longest);
  return lengths;
}

LatencyTable calibrate(const std::shared_ptr<const EngineModel>& model,
                       CalibrationSettings settings, ProgressSink& progress) {
  const ModelConfig& config = model->config();
  if (!config.elastic()) settings.budgets = {1.0};
  if (settings.lengths.empty()) settings.lengths = calibration_lengths(config.shape.positions);
  check_lengths(settings.lengths, config.shape);
  const std::string precision(precision_table.name(model->weights().precision));
  LatencyTable table{cpu_name(), precision, settings.threads, today(), {}};
  Session session(model, settings.threads);
  ProgressUpdate update;
  update.stage = precision;
  update.unit = "lengths";
  update.total = static_cast<int64_t>(settings.lengths.size());
  for (const int64_t tokens : settings.lengths) {
    if (interrupt_requested()) throw Error(ErrorCode::interrupted, "calibrate", "stopped");
    for (const LatencyCell& cell : measure(session, tokens, settings)) table.cells.push_back(cell);
    ++update.done;
    progress.update(update);
  }
  return table;
}

}  // namespace headroom
