#include "train/train_model.h"

#include <fmt/format.h>

#include "base/file.h"
#include "budget/cost.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/model_card.h"
#include "model/weights_io.h"
#include "train/checkpoint_model.h"
#include "train/evaluate.h"
#include "train/plan.h"
#include "train/runtime.h"
#include "train/score_budgets.h"
#include "train/task_data.h"
#include "train/training_state.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

fs::path state_directory(const fs::path& out) {
  if (out.empty()) throw Error(ErrorCode::usage, "train", "--out is empty: name a directory");
  fs::path clean = fs::absolute(out).lexically_normal();
  if (!clean.has_filename()) clean = clean.parent_path();  // "model/" and "."
  return clean.parent_path() / (clean.filename().string() + ".training");
}

// Everything that decides the course of a run; a state saved under another one cannot go on.
std::string fingerprint(const TrainRequest& request, const TaskData& data) {
  const Recipe& r = request.recipe;
  const ModelShape& s = request.shape;
  const StageSettings& g = r.stages;
  const TaskRequest& t = request.task;
  std::string grid;
  for (const double budget : g.budget_grid) grid += fmt::format("{},", budget);
  const std::string course = fmt::format(
      "warmup={} solved={}/{} validate={}/{} clip={} gates={} mass={} overshoot={} distill={} "
      "temperature={} low={} grid={} split={} min_count={}",
      r.warmup, r.until_solved, r.solved, r.validate_every, r.patience, r.clip_norm,
      r.gate_rate_factor, g.mass_weight, g.overshoot_weight, g.distill_weight, g.temperature,
      g.budget_low, grid, t.split_seed, t.min_count);
  return fmt::format(
      "v1 {} {} rows={}/{}/{} tokens={} vocab={} L{} D{} H{} F{} seed={} batch={} epochs={}/{}/{} "
      "rates={}/{}/{} drop={} wd={} slopes={} b={} smooth={} init={} {}",
      method_name(request.method), data.name, data.train.size(), data.validation.size(),
      data.test.size(), data.max_tokens, data.vocabulary->size(), s.layers, s.width, s.heads, s.ffn,
      request.seed, r.batch_size, r.dense_epochs, r.soft_epochs, r.hard_epochs, r.dense_rate,
      r.soft_rate, r.hard_rate, r.dropout, r.weight_decay, r.free_slopes, request.static_budget,
      r.stages.label_smoothing, request.init.string(), course);
}

void check_shape(const ModelShape& shape) {
  if (shape.layers < 1 || shape.heads < 1 || shape.ffn < 1 || shape.width < 1 ||
      shape.width % shape.heads != 0) {
    throw Error(ErrorCode::usage, "train",
                fmt::format("--width {} must be a positive multiple of --heads {}", shape.width,
                            shape.heads));
  }
}

// Fresh weights, or those of --init with a fresh classifier when the labels differ.
ElasticModel starting_model(const TrainRequest& request, const ModelShape& shape,
                            const TaskData& data, torch::Device device) {
  ElasticModel model;
  model.shape = shape;
  model.dropout = request.recipe.dropout;
  model.weights = fresh_weights(shape, request.seed, device);
  if (!request.init.empty()) {
    const CheckpointModel init = open_checkpoint(request.init, device);
    const Linear fresh_classifier = model.weights.classifier;
    model.weights = init.model.weights;
    model.layer_norm_eps = init.config.layer_norm_eps;
    if (init.config.labels != data.labels) model.weights.classifier = fresh_classifier;
  }
  if (request.method != Method::dense) {
    model.gates =
        fresh_gates(shape.layers, shape.heads, request.recipe.free_slopes, request.seed, device);
  }
  return model;
}

ModelConfig config_of(const TrainRequest& request, const ElasticModel& model,
                      const TaskData& data) {
  ModelConfig config;
  config.shape = model.shape;
  config.dropout = model.dropout;
  config.layer_norm_eps = model.layer_norm_eps;
  config.task = data.task;
  config.method = request.method;
  config.labels = data.labels;
  if (model.gates) config.gates = model.gates->parameters();
  config.trained_budget = request.static_budget;
  return config;
}

std::string card_for(const TrainRequest& request, const ModelConfig& config, const TaskData& data,
                     const TrainReport& report) {
  ModelCard card;
  card.data = data.name;
  card.scored_on = report.scored_on;
  card.seed = request.seed;
  card.steps = report.steps;
  for (const BudgetScore& score : report.scores) {
    card.rows.push_back(
        {score.budget, score.accuracy, score.active_heads, score.model_macs_fraction});
  }
  return write_model_card(config, card);
}

// Other programs keep a config.json too; ours has a "headroom" object.
bool is_checkpoint(const fs::path& directory) {
  try {
    return parse_json(read_file(directory / "config.json", ErrorCode::bad_model, 16ULL << 20),
                      ErrorCode::bad_model, "config.json")
        .contains("headroom");
  } catch (const Error&) {
    return false;
  }
}

// Refuses to replace what is not ours, or to forget an unfinished run.
void check_output(const TrainRequest& request, const fs::path& state) {
  std::error_code ignored;
  if (fs::equivalent(request.out, fs::current_path(), ignored)) {
    throw Error(ErrorCode::usage, "train",
                "--out is the current directory, which cannot be replaced: name another one");
  }
  if (fs::exists(request.out) && !is_checkpoint(request.out) &&
      !(fs::is_directory(request.out) && fs::is_empty(request.out))) {
    throw Error(ErrorCode::usage, "train",
                fmt::format("--out {} exists and is not a checkpoint: choose another name",
                            request.out.string()));
  }
  if (has_state(state) && !request.resume && !request.restart) {
    throw Error(ErrorCode::usage, "train",
                fmt::format("{} holds an unfinished run: --resume goes on with it, --restart "
                            "discards it",
                            state.string()));
  }
}

// Fails before hours of training, not after them.
void open_output(const TrainRequest& request, const fs::path& state) {
  std::error_code error;
  if (request.restart) remove_tree(state);
  fs::create_directories(state, error);
  if (error) {
    throw Error(ErrorCode::runtime, "train",
                fmt::format("cannot write beside {}: {}", request.out.string(), error.message()));
  }
  write_file_atomically(state / "writable", "");
  fs::remove(state / "writable", error);
}

}  // namespace

TrainReport train_model(const TrainRequest& request, ProgressSink& progress) {
  check_shape(request.shape);
  use_threads(request.threads);
  const torch::Device device = open_device(request.device);
  const fs::path state = state_directory(request.out);
  check_output(request, state);

  std::optional<Vocabulary> fixed;
  ModelShape shape = request.shape;
  if (!request.init.empty()) {
    const ModelConfig init = read_config(request.init);
    fixed = read_vocabulary(request.init, init);
    shape = init.shape;
  }
  TaskRequest task = request.task;
  if (fixed) task.max_tokens = static_cast<int>(shape.positions);
  const TaskData data = load_task(task, fixed ? &*fixed : nullptr);
  shape.vocabulary = data.vocabulary->size();
  shape.positions = data.max_tokens;
  shape.labels = static_cast<int64_t>(data.labels.size());
  open_output(request, state);
  progress.note(
      fmt::format("{}: {} training rows, {} validation, {} test, {} labels, {} words", data.name,
                  data.task == Task::synthetic ? "fresh" : std::to_string(data.train.size()),
                  data.validation.size(), data.test.size(), data.labels.size(), shape.vocabulary));

  ElasticModel model = starting_model(request, shape, data, device);
  Recipe recipe = request.recipe;
  if (request.method == Method::static_gates) recipe.stages.fixed_budget = request.static_budget;
  const std::vector<Batch> validation = evaluation_batches(data.validation, 64, device);
  const auto source = training_source(data, recipe.batch_size, request.seed, device);
  std::vector<StagePlan> plans = plan_method(request.method, recipe, *source, validation);
  TrainerSettings settings = trainer_settings(recipe, request.seed);
  settings.state_directory = state;
  settings.save_seconds = request.save_seconds;
  settings.resume = request.resume;
  settings.fingerprint = fingerprint(request, data);
  const TrainingResult training = run_stages(model, plans, *source, settings, progress);

  const ModelConfig config = config_of(request, model, data);
  TrainReport report;
  const bool has_test = data.test.size() > 0;
  report.scored_on = has_test ? "test" : "validation";
  const std::vector<double> budgets =
      request.method == Method::dense ? std::vector<double>{1.0} : request.budgets;
  report.scores = score_budgets(model, config, has_test ? data.test : data.validation, budgets);
  report.steps = training.steps;
  report.samples_per_second = training.seconds > 0 ? training.samples / training.seconds : 0;
  report.parameters = parameter_count(shape, all_heads(shape.layers, shape.heads));

  ModelWeights on_cpu = to_device(model.weights, torch::kCPU);
  write_checkpoint(request.out,
                   {config, data.vocabulary->to_text(), card_for(request, config, data, report),
                    training.log, tensor_views(on_cpu)});
  remove_tree(state);
  return report;
}

}  // namespace headroom
