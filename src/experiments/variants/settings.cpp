// What the variants experiment runs on each task. Sizes are such that an arm takes a minute or two
// on one GPU; all arms of a task share them, and none was tuned for one kind.
#include <fmt/format.h>

#include "base/error.h"
#include "experiments/variants/experiment.h"
#include "experiments/variants/kind_budgets_summary.h"

namespace headroom::experiments::variants {
namespace {

ModelShape sized(int64_t layers, int64_t width, int64_t heads, int64_t ffn) {
  ModelShape shape;
  shape.layers = layers;
  shape.width = width;
  shape.heads = heads;
  shape.ffn = ffn;
  return shape;
}

void set_epochs(Experiment& experiment, double epochs, int batch, double rate) {
  experiment.recipe.dense_epochs = epochs;
  experiment.recipe.batch_size = batch;
  experiment.recipe.dense_rate = rate;
}

// The recipe told for IMDB (docs/attention.md): the last 32 words, one post-norm layer, mean
// pooling, the checkpoint that validates best. Ours has [CLS] and [SEP] around the words and a
// pooler of its own width instead of six ReLU units.
void set_imdb32(Experiment& experiment) {
  experiment.task.data = "imdb";
  experiment.task.eval_data = "imdb:test";
  experiment.task.max_tokens = 34;
  experiment.task.truncation = TruncationChoice::tail;
  experiment.task.validation_rows = 2500;
  experiment.mean_pooling = true;
  experiment.shape = sized(1, 32, 4, 32);
  experiment.recipe.dropout = 0.1;
  experiment.recipe.weight_decay = 0;
  set_epochs(experiment, 10, 64, 1e-3);
}

void set_imdb(Experiment& experiment, const std::string& size) {
  experiment.task.data = "imdb";
  experiment.task.eval_data = "imdb:test";
  experiment.task.max_tokens = 128;
  experiment.shape = size == "small"    ? sized(2, 64, 4, 128)
                     : size == "medium" ? sized(4, 128, 4, 256)
                                        : sized(6, 256, 8, 512);
  // After 4 epochs 36 of 54 runs validated best at the last step.
  set_epochs(experiment, 8, 128, size == "large" ? 3e-4 : 5e-4);
}

void set_text(Experiment& experiment) {
  const std::string& task = experiment.task_name;
  experiment.task.data = task;
  experiment.task.eval_data = task + ":test";
  experiment.task.task = task == "sick" ? Task::pair : Task::classify;
  experiment.task.max_tokens = 64;
  experiment.shape = sized(4, 128, 4, 256);
  if (task == "sick") {
    experiment.shape = sized(2, 128, 4, 256);
    experiment.task.min_count = 1;
    set_epochs(experiment, 20, 64, 5e-4);
  } else {
    set_epochs(experiment, 4, 128, 1e-3);
  }
}

// Three stages after one another, so as many epochs in all as the other arms have of one.
void set_kind_budgets(Experiment& experiment) {
  experiment.task.data = "agnews";
  experiment.task.eval_data = "agnews:test";
  experiment.task.max_tokens = 64;
  experiment.shape = sized(4, 128, 8, 256);
  set_epochs(experiment, 2, 128, 1e-3);
  experiment.recipe.adaptive.distill_weight = 0.5;  // as soft and hard stages follow their teacher
  experiment.recipe.soft_epochs = 1.5;
  experiment.recipe.hard_epochs = 0.5;
  experiment.recipe.soft_rate = 5e-4;
  experiment.recipe.hard_rate = 2e-4;
}

void set_images(Experiment& experiment) {
  const std::string& task = experiment.task_name;
  experiment.task.task = Task::image;
  experiment.recipe = default_recipe(Task::image);
  experiment.task.data = task;
  experiment.task.eval_data = task + ":test";
  experiment.shape = default_shape(Task::image);
  experiment.task.patch = 4;
  if (task == "mnist") {
    set_epochs(experiment, 12, 256, 1e-3);
    return;
  }
  // After 30 epochs the last weights were still the best ones. Crops out of 4 pixels of padding,
  // mirroring and smoothed labels are what small transformers are trained with on CIFAR.
  experiment.task.augment = 4;
  experiment.recipe.stages.label_smoothing = 0.1;
  experiment.recipe.warmup = 0.1;
  set_epochs(experiment, 100, 256, 1e-3);
}

void set_language(Experiment& experiment) {
  experiment.task.task = Task::lm;
  experiment.recipe = default_recipe(Task::lm);
  experiment.task.tokenizer = TokenizerKind::character;
  experiment.task.data = "shakespeare";
  experiment.task.eval_data = "shakespeare:test";
  experiment.task.max_tokens = 192;  // as many as the width, where Super costs what Optimized does
  experiment.shape = default_shape(Task::lm);
  experiment.recipe.validate_every = 250;
  experiment.recipe.dropout = 0.1;
  set_epochs(experiment, 152, 128, 1e-3);  // 6,000 steps; after 3,000 the last was still the best
}

void set_translation(Experiment& experiment) {
  experiment.task.task = Task::translate;
  experiment.recipe = default_recipe(Task::translate);
  experiment.task.data = "multi30k";
  experiment.task.eval_data = "multi30k:test";
  experiment.task.validation_rows = 1000;
  experiment.task.vocabulary_size = 8000;
  experiment.shape = default_shape(Task::translate);
  experiment.shape.heads = 8;
  experiment.recipe.warmup = 0.1;
  set_epochs(experiment, 120, 256, 7e-4);  // after 60 the last weights were still the best ones
}

void shrink(Experiment& experiment) {
  const bool language = experiment.task.task == Task::lm;
  experiment.task.train_rows = language ? 0 : 400;
  experiment.task.validation_rows = 100;
  experiment.task.vocabulary_size = 1000;
  experiment.task.max_tokens = 32;
  experiment.shape.layers = 1;
  experiment.shape.decoder_layers = experiment.task.task == Task::translate ? 1 : 0;
  experiment.shape.width = 32;
  experiment.shape.heads = 4;
  experiment.shape.ffn = 32;
  experiment.recipe.batch_size = language ? 64 : 32;
  experiment.recipe.dense_epochs = language ? 0.02 : 1;
  experiment.recipe.soft_epochs = 0.5;
  experiment.recipe.hard_epochs = 0.5;
  experiment.recipe.validate_every = 0;
}

}  // namespace

Experiment describe(const std::string& task, bool quick) {
  Experiment experiment;
  experiment.name = "variants";
  experiment.task_name = task;
  experiment.recipe = default_recipe(Task::classify);
  if (task == "imdb32") {
    set_imdb32(experiment);
  } else if (task == "imdb-small" || task == "imdb-medium" || task == "imdb-large") {
    set_imdb(experiment, task.substr(5));
  } else if (task == "agnews" || task == "sick") {
    set_text(experiment);
  } else if (task == kind_budgets_task) {
    set_kind_budgets(experiment);
  } else if (task == "mnist" || task == "cifar10") {
    set_images(experiment);
  } else if (task == "shakespeare") {
    set_language(experiment);
  } else if (task == "multi30k") {
    set_translation(experiment);
  } else {
    throw Error(
        ErrorCode::usage, "reproduce",
        fmt::format(
            "--task {} is not part of this experiment: imdb32, imdb-small, "
            "imdb-medium, imdb-large, agnews, agnews-budgets, sick, mnist, cifar10, shakespeare or "
            "multi30k",
            task));
  }
  // The larger ones; the published recipe stays as it is.
  experiment.recipe.bf16 = !classifies_text(experiment.task.task);
  if (quick) shrink(experiment);
  return experiment;
}

}  // namespace headroom::experiments::variants
