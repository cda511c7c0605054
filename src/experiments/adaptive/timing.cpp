#include "experiments/adaptive/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "base/measure/interleaved.h"
#include "base/measure/machine.h"
#include "budget/cost.h"
#include "data/eval_rows.h"
#include "engine/model.h"

namespace headroom::experiments::adaptive {
namespace {

constexpr size_t batch_size = 32;
constexpr size_t batch_count = 8;
constexpr int rounds = 21;

// Batches of test rows at their own lengths, one after another.
class Texts {
 public:
  Texts(const EngineModel& model, const EncodedDataset& rows) : model_(model) {
    const auto count = std::min(batch_count * batch_size, static_cast<size_t>(rows.size()));
    for (size_t row = 0; row < count; ++row) {
      const auto number = static_cast<int64_t>(row);
      const auto ids = rows.row(number);
      const auto types = rows.row_types(number);
      sequences_.push_back({{ids.begin(), ids.end()}, {types.begin(), types.end()}});
    }
    logits_.resize(count * static_cast<size_t>(model.config().shape.labels));
    heads_run_.resize(count);
  }

  size_t batches() const { return (sequences_.size() + batch_size - 1) / batch_size; }

  void run(const Plan& plan) {
    const std::span<const Tokens> all = sequences_;
    const auto labels = static_cast<size_t>(model_.config().shape.labels);
    for (size_t begin = 0; begin < all.size(); begin += batch_size) {
      const size_t count = std::min(batch_size, all.size() - begin);
      const std::vector<const Plan*> plans(count, &plan);
      model_.encoder().run(all.subspan(begin, count), plans,
                           std::span(logits_).subspan(begin * labels, count * labels), arena_,
                           std::span(heads_run_).subspan(begin, count));
    }
  }

  // Share of dense MACs that the last run's heads did not need.
  double macs_saved() const {
    const ModelShape& shape = model_.config().shape;
    double used = 0;
    double dense = 0;
    for (size_t i = 0; i < sequences_.size(); ++i) {
      const auto tokens = static_cast<int64_t>(sequences_[i].ids.size());
      used += cost_of_heads(shape, heads_run_[i], tokens).model_macs;
      dense += dense_cost(shape, tokens).model_macs;
    }
    return 1 - used / dense;
  }

 private:
  const EngineModel& model_;
  std::vector<Tokens> sequences_;
  std::vector<float> logits_;
  std::vector<int64_t> heads_run_;
  Arena arena_;
};

Json time_checkpoint(const std::filesystem::path& path, const std::string& data,
                     const std::filesystem::path& data_dir) {
  const auto model = EngineModel::load(path);
  const ModelConfig& config = model->config();
  const EncodedDataset rows = eval_rows(data, data_dir, config.labels, model->tokenizer(),
                                        static_cast<int>(config.shape.positions));
  Texts texts(*model, rows);
  const Plan dense = make_plan(model->weights(), config.everything());
  const Plan chosen = model->plan(1.0);
  const std::vector<std::function<void()>> runs = {[&] { texts.run(dense); },
                                                   [&] { texts.run(chosen); }};
  const auto times = time_interleaved(runs, /*warmup=*/2, rounds, /*seed=*/1);
  texts.run(chosen);
  const double saved = texts.macs_saved();
  const double time_saved = 1 - 1 / median_ratio(times[0], times[1]);
  const auto batches = static_cast<double>(texts.batches());
  return {{"batch", batch_size},
          {"batches", texts.batches()},
          {"dense_ms", quantile(times[0], 0.5) / batches},
          {"chosen_ms", quantile(times[1], 0.5) / batches},
          {"time_saved", time_saved},
          {"macs_saved", saved},
          {"realised", time_saved / saved}};
}

}  // namespace

Json time_choices(const std::filesystem::path& folder, const std::string& data,
                  const std::filesystem::path& data_dir, ProgressSink& progress) {
  Json arms = Json::object();
  for (const char* name : {"adaptive", "adaptive-warm"}) {
    if (!std::filesystem::exists(folder / name / "config.json")) continue;
    progress.note(fmt::format("timing {}", name));
    arms[name] = time_checkpoint(folder / name, data, data_dir);
  }
  if (arms.empty()) return Json::object();
  return {{"date", today()},
          {"threads", 1},
          {"rounds", rounds},
          {"machine", describe_machine()},
          {"arms", arms}};
}

}  // namespace headroom::experiments::adaptive
