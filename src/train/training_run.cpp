#include "train/training_run.h"

#include <utility>

#include "base/files/file.h"
#include "budget/cost.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/make_tokenizer.h"
#include "checkpoint/model_card.h"
#include "data/catalog/catalog.h"
#include "data/catalog/spec.h"
#include "model/weights_io.h"
#include "train/fingerprint.h"
#include "train/loop/plan.h"
#include "train/loop/training_output.h"
#include "train/settings.h"

namespace headroom {
inline namespace train {
namespace {

TrainingOutput output_of(const TrainRequest& request) {
  return {request.out, request.resume, request.restart};
}

// Of the known sets among the training data.
std::vector<std::string> licences_of(const std::string& data) {
  std::vector<std::string> licences;
  if (!is_data_spec(data)) return licences;
  for (const DataSource& source : parse_data_spec(data).sources) {
    const CatalogEntry* entry =
        source.kind == SourceKind::named ? find_entry(source.name) : nullptr;
    if (entry != nullptr) licences.push_back(entry->name + ": " + entry->licence);
  }
  return licences;
}

std::string card_for(const TrainRequest& request, const ModelConfig& config, const TaskData& data,
                     const Recipe& recipe, const TrainReport& report) {
  ModelCard card;
  card.data = data.name;
  card.scored_on = report.scored_on;
  card.policy = report.policy;
  card.seed = request.seed;
  card.steps = report.steps;
  card.recipe = describe(recipe, request.method);
  card.measure = measure_title(report.scores[0]);
  if (!request.init.empty()) card.start = (request.init / "").parent_path().filename().string();
  if (data.task != Task::synthetic) card.licences = licences_of(request.task.data);
  for (const BudgetScore& score : report.scores) {
    card.rows.push_back({score.budget, measured(score), score.active_heads, score.active_ffn,
                         score.model_macs_fraction});
  }
  return write_model_card(config, card);
}

}  // namespace

TrainerSettings run_settings(const TrainRequest& request, const Recipe& recipe,
                             const TaskData& data, std::shared_ptr<Ranks> ranks) {
  TrainerSettings settings = trainer_settings(recipe, request.seed);
  settings.state_directory = output_of(request).state_directory();
  settings.save_seconds = request.save_seconds;
  settings.resume = request.resume;
  settings.ranks = std::move(ranks);
  settings.accumulate = request.parallel.accumulate;
  settings.fingerprint = fingerprint(request, data);
  return settings;
}

void round_to_bf16(ModelWeights& weights) {
  const torch::NoGradGuard no_gradients;
  for_each_tensor(weights, [](const std::string&, torch::Tensor& tensor) {
    tensor = tensor.detach().to(torch::kBFloat16).to(torch::kFloat32);
  });
}

void store_run(const TrainRequest& request, const ModelConfig& config, const TaskData& data,
               const Recipe& recipe, const TrainingResult& training, const ElasticModel& model,
               const StoredPolicy& policy, TrainReport& report) {
  report.steps = training.steps;
  report.samples_per_second = training.seconds > 0 ? training.samples / training.seconds : 0;
  report.parameters =
      parameter_count(model.shape, all_heads(model.shape.layers, model.shape.heads));
  ModelWeights on_cpu = to_device(model.weights, torch::kCPU);
  const DType type = request.bf16_weights ? DType::bf16 : DType::f32;
  CheckpointContent content;
  content.config = config;
  content.vocabulary = data.vocabulary->to_text();
  content.card = card_for(request, config, data, recipe, report);
  content.log = Json{{"recipe", settings_to_json(recipe)}}.dump() + "\n" + training.log;
  content.tensors = tensor_views(on_cpu, type);
  content.files = tokenizer_files(*data.vocabulary);
  content.policy = policy;
  write_checkpoint(request.out, content);
  remove_tree(output_of(request).state_directory());
}

}  // namespace train
}  // namespace headroom
