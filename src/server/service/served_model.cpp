#include "server/service/served_model.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/machine.h"
#include "checkpoint/latency_file.h"
#include "engine/calibration.h"

namespace headroom {
namespace {

// A worker runs one text at a time.
constexpr int threads_per_text = 1;

// Five lengths at eight budgets: two seconds for a model of BERT-Mini's size.
LatencyTable measure_quickly(const std::shared_ptr<const EngineModel>& model,
                             ProgressSink& progress) {
  const int64_t longest = model->config().shape.positions;
  CalibrationSettings settings;
  std::set<int64_t> lengths;
  for (const int64_t part : {16, 8, 4, 2, 1}) lengths.insert(std::max<int64_t>(1, longest / part));
  settings.lengths.assign(lengths.begin(), lengths.end());
  settings.threads = threads_per_text;
  settings.rounds = 11;
  settings.warmup = 1;
  return calibrate(model, settings, progress);
}

}  // namespace

std::function<RunBatch()> engine_runners(std::shared_ptr<const EngineModel> engine) {
  return [engine = std::move(engine)]() -> RunBatch {
    return
        [worker = std::make_shared<Worker>(engine)](std::span<const Tokens> inputs, double budget) {
          return worker->classify(inputs, budget);
        };
  };
}

ServedModel load_served_model(std::string name, const std::filesystem::path& directory,
                              const EngineOptions& options, ProgressSink& progress) {
  ServedModel served;
  served.name = std::move(name);
  served.directory = directory;
  served.engine = EngineModel::load(directory, options);
  std::optional<LatencyTable> table =
      find_latency_table(directory, cpu_name(),
                         std::string(precision_table.name(options.precision)), threads_per_text);
  served.calibrated_at_start = !table.has_value();
  served.table = table ? std::move(*table) : measure_quickly(served.engine, progress);
  served.make_runner = engine_runners(served.engine);
  return served;
}

}  // namespace headroom
