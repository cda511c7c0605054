#include "train/train_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "base/join.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/make_tokenizer.h"
#include "train/checkpoint_model.h"
#include "train/evaluate/evaluate.h"
#include "train/evaluate/score_budgets.h"
#include "train/fine_tuning.h"
#include "train/heads/fit_ladder.h"
#include "train/heads/fit_lexical.h"
#include "train/heads/fit_scores.h"
#include "train/heads/regress.h"
#include "train/loop/plan.h"
#include "train/loop/training_output.h"
#include "train/rows/task_data.h"
#include "train/runtime.h"
#include "train/stages/adaptive.h"
#include "train/tasks/tasks.h"
#include "train/training_run.h"
#include "train/trials.h"

namespace headroom {
inline namespace train {
namespace {

int64_t controller_width(const TrainRequest& request, const ModelShape& shape) {
  if (request.method != Method::adaptive) return 0;
  const int64_t hidden = request.recipe.adaptive.hidden;
  return hidden > 0 ? hidden : std::max<int64_t>(1, shape.width / 4);
}

void check_task(const TrainRequest& request) {
  const Task task = request.task.task;
  if (task == Task::translate && request.method != Method::dense) {
    throw Error(ErrorCode::usage, "train",
                fmt::format("--task translate is trained with --method dense: a budget of method "
                            "{} governs one stack of layers, a translator has two",
                            method_name(request.method)));
  }
  if (request.method == Method::adaptive && answers_text(task) && !classifies_text(task)) {
    throw Error(ErrorCode::usage, "train",
                fmt::format("--task {} is trained with --method nested, budgeted, static or dense: "
                            "heads chosen for each input are for models of one label",
                            task_name(task)));
  }
  if (request.method == Method::adaptive && task == Task::lm) {
    throw Error(ErrorCode::usage, "train",
                "--task lm is trained with --method nested, budgeted, static or dense: heads "
                "chosen for each input follow the mean of all its tokens, so a language model "
                "would see those it has to predict");
  }
  const TruncationChoice truncation = request.task.truncation;
  if ((truncation == TruncationChoice::tail || truncation == TruncationChoice::head_tail) &&
      !answers_whole_text(task)) {
    throw Error(ErrorCode::usage, "train",
                fmt::format("--truncation {} is for --task classify, multilabel or regress, not {}",
                            truncation_choice_table.name(truncation), task_name(task)));
  }
  if (!request.init.empty() && !answers_text(task)) {
    throw Error(ErrorCode::usage, "train",
                fmt::format("--init starts models of texts, not --task {}", task_name(task)));
  }
}

OutputHead head_of(const ModelShape& shape) {
  if (shape.generates()) return OutputHead::language;
  if (shape.readout == Readout::tokens) return OutputHead::tagger;
  return shape.readout == Readout::vector ? OutputHead::vector : OutputHead::classifier;
}

// What the model is trained towards.
std::shared_ptr<const Objective> training_objective(const TaskData& data, const ModelShape& shape) {
  if (data.task == Task::regress) {
    const NumberScale scale = number_scale(data.train);
    return number_objective(scale.mean, scale.spread);
  }
  ModelConfig config;
  config.task = data.task;
  config.shape = shape;
  config.labels = data.labels;
  return objective_of(config);
}

// Fresh weights, or those of --init with a fresh classifier when the labels differ.
ElasticModel starting_model(const TrainRequest& request, const ModelShape& shape,
                            const TaskData& data, torch::Device device) {
  ElasticModel model;
  model.shape = shape;
  model.dropout = request.recipe.dropout;
  model.weights = fresh_weights(shape, request.seed, device, head_of(shape));
  model.objective = training_objective(data, shape);
  if (!request.init.empty()) start_from(request.init, data.labels, model, data.task);
  const AdaptiveSettings& adaptive = request.recipe.adaptive;
  if (request.method == Method::adaptive) {
    model.relevance_temperature = adaptive.temperature.last;
    set_initial_share(model.weights, adaptive.initial_share);
  }
  if (request.method == Method::budgeted || request.method == Method::static_gates ||
      (request.method == Method::adaptive && adaptive.gates)) {
    model.gates =
        fresh_gates(shape.layers, shape.heads, request.recipe.free_slopes, request.seed, device);
  }
  return model;
}

// What --init has and this run does not keep.
void tell_losses(const TrainRequest& request, const ModelConfig& init, const TaskData& data,
                 ProgressSink& progress) {
  const int64_t asked = request.task.max_tokens;
  if (asked > init.shape.positions && asked != most_tokens) {
    progress.note(fmt::format("--max-tokens {}: {} reads at most {}, and so will this model", asked,
                              request.init.string(), init.shape.positions));
  }
  if (init.has_labels() && !keeps_head(init, data.task, data.labels)) {
    progress.note(
        fmt::format("the last layer of {} is not kept: its labels ({}) are not those of the rows "
                    "({}); import --labels renames them",
                    request.init.string(), join(init.labels, ", "), join(data.labels, ", ")));
  }
}

void check_minutes(const TrainRequest& request) {
  if (request.minutes <= 0) return;
  if (request.parallel.world.size > 1) {
    throw Error(ErrorCode::usage, "train", minutes_need_one_process);
  }
  if (request.recipe.dense_epochs == 0) {
    throw Error(ErrorCode::usage, "train",
                "--minutes tries recipes on the dense stage, which --epochs 0 leaves out");
  }
}

}  // namespace

TrainReport train_model(TrainRequest request, ProgressSink& progress) {
  check_shape(request.shape, "train");
  check_task(request);
  check_minutes(request);
  if (request.recipe.dense_epochs == 0 && request.method != Method::adaptive) {
    throw Error(ErrorCode::usage, "train", "--epochs 0 is for --method adaptive alone");
  }
  const auto ranks = join_ranks(request.parallel, request.device, request.threads);
  const torch::Device device = ranks->device();
  const TrainingOutput output{request.out, request.resume, request.restart};
  if (ranks->first()) check_output(output);

  std::optional<TextCoding> fixed;
  std::optional<ModelConfig> init;
  ModelShape shape = request.shape;
  if (!request.init.empty()) {
    init = read_config(request.init);
    fixed = read_coding(request.init);
    shape = init->shape;
  }
  TaskRequest task = request.task;
  if (fixed) task.max_tokens = std::min(task.max_tokens, static_cast<int>(shape.positions));
  TaskData data = load_task(task, fixed ? &*fixed : nullptr);
  shape = fit_shape(shape, data);
  shape.controller = controller_width(request, shape);
  if (request.method == Method::nested && request.recipe.nested.scope == Scope::heads_and_ffn) {
    uniform_order(shape, request.recipe.nested.group_width);  // refuses a bad --ffn-group early
  }
  const auto lock = ranks->first() ? open_output(output) : nullptr;
  progress.note(
      fmt::format("{}: {} training rows, {} validation{}, {} test, {}, {} words", data.name,
                  data.task == Task::synthetic ? "fresh" : std::to_string(data.train.size()),
                  data.validation.size(),
                  data.validation_name.empty() ? "" : fmt::format(" ({})", data.validation_name),
                  data.test.size(), counted(data.labels.size(), "label"), shape.vocabulary));
  if (!data.validation_name.empty() && request.task.validation_data.empty()) {
    progress.note(fmt::format(
        "validation is the official part; --validation-data {} sets training rows aside instead",
        set_aside));
  }
  const bool tunes = request.tune && request.method == Method::nested && classifies_text(data.task);
  if (tunes) hold_back_rows(data, request.seed);
  if (data.held_back.size() > 0) {
    progress.note(fmt::format(
        "{} of the validation rows are held back: nothing is chosen by or fitted to them, so they "
        "prove what --budget auto promises",
        data.held_back.size()));
  }
  if (data.letter_case) {
    progress.note("the vocabulary is lower case: token types tell the tagger of capitals");
  }
  if (!data.truncation_note.empty()) progress.note(data.truncation_note);
  if (init) tell_losses(request, *init, data, progress);

  const std::vector<Batch> validation = evaluation_batches(data.validation, 64, device);
  auto source = training_source(data, request.recipe.batch_size, request.seed, device);
  Recipe recipe = decided(request.recipe, source->steps_per_epoch(), shape, data.task);
  std::optional<SearchResult> search;
  if (request.minutes > 0) {
    const auto fresh_model = [&](const Recipe& tried) {
      TrainRequest trial = request;
      trial.recipe = tried;
      return starting_model(trial, shape, data, device);
    };
    search = find_recipe({request, data, validation, fresh_model, output.state_directory()}, recipe,
                         progress);
    recipe = request.recipe = search->best;
    source = training_source(data, recipe.batch_size, request.seed, device);
  }
  ElasticModel model = starting_model(request, shape, data, device);
  progress.note(fmt::format("method {}, up to {} tokens; {}", method_name(request.method),
                            shape.positions, describe(recipe, request.method)));
  Recipe planned = recipe;
  if (request.method == Method::static_gates) planned.stages.fixed_budget = request.static_budget;
  std::vector<StagePlan> plans = plan_method(request.method, planned, *source, validation);
  if (search) share_time(60 * request.minutes - search->seconds, plans);
  TrainingResult training =
      run_stages(model, plans, *source, run_settings(request, recipe, data, ranks), progress);
  if (search) training.log = trials_log(*search) + training.log;
  if (!ranks->first()) return {};

  if (data.task == Task::regress) number_in_units(number_scale(data.train), model.weights);
  if (request.bf16_weights) round_to_bf16(model.weights);  // score what will be stored
  ModelConfig config = config_for(model, data, request.method);
  config.trained_budget = request.static_budget;
  std::optional<TokenBm25> lexical;
  if (data.task == Task::rerank) lexical = count_passages(data, shape.vocabulary);
  fit_scores(model, validation, stage_settings(recipe, request.method).budget_grid, lexical,
             config);
  if (config.output.lexical) {
    progress.note("scores contain BM25: with it validation rows rank better");
  }
  model.objective = objective_of(config);
  StoredPolicy policy;
  if (tunes) policy = fit_ladder(model, config, data, request.seed, progress);
  TrainReport report;
  report.policy = policy.policy;
  const EncodedDataset* scored = &data.validation;
  report.scored_on = "validation";
  if (data.test.size() > 0) {
    scored = &data.test;
    report.scored_on = "test";
  } else if (data.held_back.size() > 0) {
    scored = &data.held_back;
    report.scored_on = "held-back validation";
  }
  const std::vector<double> budgets =
      request.method == Method::dense ? std::vector<double>{1.0} : request.budgets;
  const auto tokenizer = make_tokenizer(data.tokenizer, data.lower_case, *data.vocabulary);
  report.scores = score_budgets(model, config, *scored, budgets, tokenizer.get(), policy);
  store_run(request, config, data, recipe, training, model, policy, report);
  return report;
}

}  // namespace train
}  // namespace headroom
