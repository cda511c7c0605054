#include "train/make_elastic.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "checkpoint/checkpoint.h"
#include "data/unlabelled.h"
#include "train/checkpoint_model.h"
#include "train/evaluate/evaluate.h"
#include "train/evaluate/score_budgets.h"
#include "train/heads/fit_scores.h"
#include "train/heads/self.h"
#include "train/loop/plan.h"
#include "train/loop/training_output.h"
#include "train/rows/split_units.h"
#include "train/stages/nested.h"
#include "train/training_run.h"

namespace headroom {
inline namespace train {
namespace {

constexpr double most_steps = 20000;  // unless epochs are asked for: millions of texts are as many

[[noreturn]] void refuse(const TrainRequest& request, std::string_view why) {
  throw Error(ErrorCode::usage, "elastic", fmt::format("{} {}", request.init.string(), why));
}

ModelConfig dense_config(const TrainRequest& request) {
  ModelConfig config = read_config(request.init);
  if (config.stored) {
    refuse(request, "is a compact model, cut to one budget: take the model it was made of");
  }
  if (config.elastic()) {
    refuse(request, fmt::format("has budgets already (method {}): predict --budget takes any",
                                method_name(config.method)));
  }
  if (!answers_text(config.task)) {
    refuse(request,
           fmt::format("is of task {}: only models that answer texts can follow their answers{}",
                       task_name(config.task),
                       traits(config.task).output == OutputForm::states
                           ? "; train --init makes one of it"
                           : ""));
  }
  return config;
}

TaskData load_texts(const TrainRequest& request, const CheckpointModel& checkpoint,
                    ProgressSink& progress) {
  const ModelConfig& config = checkpoint.config;
  const UnlabelledTexts texts = load_unlabelled(request.task.data, request.task.data_dir,
                                                config.task, request.task.max_memory);
  const auto count = static_cast<int64_t>(texts.texts.size());
  if (texts.blank + texts.repeated > 0) {
    progress.note(fmt::format("{}: left out {} without a word and {} that were there before",
                              texts.name, counted(texts.blank, "text"), texts.repeated));
  }
  if (count < least_texts) {
    throw Error(ErrorCode::bad_data, "elastic",
                fmt::format("{} has {}, at least {} are needed, and thousands are better: "
                            "texts like those that the model will read, without labels",
                            texts.name, counted(count, "different text"), least_texts));
  }
  const SplitIndices split = split_units(count, request.task);
  TaskData data;
  data.task = config.task;
  data.name = texts.name;
  data.labels = config.labels;
  data.tokenizer = config.tokenizer;
  data.lower_case = config.lower_case;
  data.vocabulary = read_vocabulary(request.init, config);
  data.max_tokens = std::min(request.task.max_tokens, static_cast<int>(config.longest_input()));
  const VectorConfig& vector = config.output.vector;
  const std::string prompt =
      vector.default_prompt.empty() ? "" : vector.prompts.at(vector.default_prompt);
  const auto encode = [&](const std::vector<int32_t>& numbers) {
    return encode_unlabelled(texts, numbers, data.task, *checkpoint.tokenizer, data.max_tokens,
                             prompt);
  };
  data.train = encode(split.train);
  data.validation = encode(split.validation);
  return data;
}

Recipe elastic_recipe(const TrainRequest& request, const BatchSource& source,
                      const ModelShape& shape) {
  const auto steps = static_cast<double>(source.steps_per_epoch());
  Recipe recipe = decided(request.recipe, source.steps_per_epoch(), shape, request.task.task);
  if (request.recipe.nested_epochs == left_open) {
    recipe.nested_epochs = std::min(recipe.nested_epochs, most_steps / steps);
  }
  return recipe;
}

}  // namespace

TrainRequest default_elastic_request() {
  TrainRequest request;
  request.method = Method::nested;
  request.recipe = open_recipe(request.recipe);
  request.recipe.dense_epochs = 0;
  request.recipe.stages.distill_weight = 1;  // there is nothing else to follow
  request.task.max_tokens = most_tokens;
  request.budgets = {0.125, 0.25, 0.5, 0.75, 1.0};
  return request;
}

TrainReport make_elastic(TrainRequest request, ProgressSink& progress) {
  request.task.task = dense_config(request).task;
  const auto ranks = join_ranks(request.parallel, request.device, request.threads);
  const TrainingOutput output{request.out, request.resume, request.restart};
  if (ranks->first()) check_output(output);
  CheckpointModel checkpoint = open_for_texts(request.init, ranks->device());
  ModelConfig config = checkpoint.config;
  if (request.recipe.nested.scope == Scope::heads_and_ffn) {
    uniform_order(config.shape, request.recipe.nested.group_width);  // refuses a bad --ffn-group
  }
  const TaskData data = load_texts(request, checkpoint, progress);
  const auto lock = ranks->first() ? open_output(output) : nullptr;
  progress.note(fmt::format("{}: {} texts to follow {} on, {} held back", data.name,
                            data.train.size(), request.init.string(), data.validation.size()));

  ElasticModel& model = checkpoint.model;
  model.dropout = request.recipe.dropout;
  model.objective = self_objective(config, model.weights, model.evaluation(), data.validation);
  const std::vector<Batch> validation = evaluation_batches(data.validation, 64, ranks->device());
  const auto source =
      training_source(data, request.recipe.batch_size, request.seed, ranks->device());
  const Recipe recipe = elastic_recipe(request, *source, config.shape);
  const StageSettings stages = stage_settings(recipe, Method::nested);
  progress.note(
      fmt::format("up to {} tokens; {}", data.max_tokens, describe(recipe, Method::nested)));
  std::vector<StagePlan> plans;
  plans.push_back(plan_stage(nested_stage(stages, recipe.nested, validation),
                             steps_for(recipe.nested_epochs, *source), recipe.nested_rate, recipe,
                             *source));
  torch::manual_seed(request.seed);  // targets that are drawn to rank heads and neurons
  const TrainingResult training =
      run_stages(model, plans, *source, run_settings(request, recipe, data, ranks), progress);
  if (!ranks->first()) return {};

  if (request.bf16_weights) round_to_bf16(model.weights);  // score what will be stored
  config.method = Method::nested;
  config.order = model.order;
  fit_scores(model, validation, stages.budget_grid, std::nullopt, config);
  TrainReport report;
  report.scored_on = "validation";
  report.scores = score_budgets(model, config, data.validation, request.budgets);
  store_run(request, config, data, recipe, training, model, {}, report);
  return report;
}

}  // namespace train
}  // namespace headroom
