// Every setting of a training run, listed once: what `train` offers as options, stores as JSON and
// compares before it resumes. Defaults stand where the structs are (recipe.h, adaptive_settings.h).
#pragma once

#include <limits>
#include <string>

#include "base/settings.h"
#include "train/train_model.h"

namespace headroom {
inline namespace train {

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

// Headings of what few need, which --help leaves to --help-all (cli/help/help.cpp).
inline constexpr const char* budgeted_group = "Budgeted";
inline constexpr const char* training_details = "Training details";
inline constexpr const char* model_details = "Model details";

// A number that changes over the stage; both points are shares of it.
template <typename Visitor>
void visit_ramp(Ramp& ramp, const std::string& name, const std::string& help, Visitor&& visit) {
  const char* group = "Adaptive";
  visit(Setting{name + "-first", help + ", at first", group}, ramp.first);
  visit(Setting{name + "-last", help + ", at last", group}, ramp.last);
  visit(Setting{name + "-from", "share of the stage after which it changes", group, 0, 1},
        ramp.begin);
  visit(Setting{name + "-until", "share of the stage after which it stays", group, 0, 1}, ramp.end);
}

template <typename Visitor>
void visit_settings(AdaptiveSettings& a, Visitor&& visit) {
  const char* group = "Adaptive";
  visit(Setting{"controller-width", "of controllers; 0: a quarter of --width", group, 0, 65536},
        a.hidden);
  visit(Setting{"initial-share", "of heads, before training", group, 0.001, 0.999},
        a.initial_share);
  visit(Setting{"share-low", "s below it is penalised", group, 0, 1}, a.share_low);
  visit(Setting{"share-high", "s above it is penalised", group, 0, 1}, a.share_high);
  visit(Setting{"hinge-weight", "of these two penalties", group, 0, no_limit}, a.hinge_weight);
  visit_ramp(a.share_weight, "share-weight", "penalty on the share of heads", visit);
  visit_ramp(a.entropy_weight, "entropy-weight", "reward for the entropy of q", visit);
  visit_ramp(a.temperature, "tau", "temperature of q", visit);
  visit_ramp(a.noise, "noise", "Gumbel noise on head relevance", visit);
  visit_ramp(a.hard, "hard", "share of examples with 0/1 heads", visit);
  visit(Setting{"adaptive-distill", "share of the loss that follows the model of the dense stage",
                group, 0, 1},
        a.distill_weight);
  visit(Setting{"cap-gates", "train gates too, which rank heads under a --budget", group}, a.gates);
  visit(Setting{"fixed-share", "s as this number: a control"}, a.fixed_share);
  visit(Setting{"random-heads", "heads at random: a control"}, a.random_heads);
}

template <typename Visitor>
void visit_settings(NestedSettings& nested, Visitor&& visit) {
  const char* group = "Model";
  visit(Setting{"scope", "what the budget governs; all methods but nested: heads", group},
        nested.scope);
  visit(Setting{"allocation",
                "how a nested budget is spread over layers: uniform, ranked, depth or searched",
                model_details},
        nested.allocation);
  visit(Setting{"ffn-group", "FFN neurons that come alive together; 0: up to 64", model_details, 0,
                no_limit},
        nested.group_width);
}

template <typename Visitor>
void visit_settings(StageSettings& stages, Visitor&& visit) {
  visit(Setting{"label-smoothing", "label smoothing", training_details, 0, 0.99},
        stages.label_smoothing);
  visit(Setting{"mass-weight", "penalty on the mean gate", budgeted_group}, stages.mass_weight);
  visit(Setting{"overshoot-weight", "penalty on exceeding the budget", budgeted_group},
        stages.overshoot_weight);
  visit(Setting{"distill-weight", "share of the teacher in the loss", training_details, 0, 1},
        stages.distill_weight);
  visit(Setting{"temperature", "of distillation", training_details, 0.01, 100}, stages.temperature);
  visit(Setting{"anchor-budgets",
                "nested: budgets of every step, beside 1 and a random one; none below the smallest",
                training_details},
        stages.anchors);
  visit(Setting{"budget-low", "smallest budget drawn"}, stages.budget_low);
  visit(Setting{"budget-grid", "budgets drawn half the time"}, stages.budget_grid);
  visit(Setting{"fixed-budget", "the one budget of static gates"}, stages.fixed_budget);
}

template <typename Visitor>
void visit_settings(Recipe& r, Visitor&& visit) {
  const char* group = "Training";
  visit_settings(r.nested, visit);
  visit(Setting{"free-slopes",
                "one gate slope per head, as published; selections may then not be nested",
                budgeted_group},
        r.free_slopes);
  visit(Setting{"epochs", "dense stage; 0, for adaptive only: none", group, 0, 1e6},
        r.dense_epochs);
  visit(Setting{"soft-epochs", "soft stage", budgeted_group, 0.001, 1e6}, r.soft_epochs);
  visit(Setting{"hard-epochs", "hard stage", budgeted_group, 0.001, 1e6}, r.hard_epochs);
  visit(Setting{"nested-epochs", "nested stage", group, 0.001, 1e6}, r.nested_epochs);
  visit(Setting{"batch", "rows a step", group, 1, 65536}, r.batch_size);
  visit(Setting{"lr", "peak learning rate, dense stage", group, 0, 1}, r.dense_rate);
  visit(Setting{"soft-lr", "peak learning rate, soft stage", budgeted_group, 0, 1}, r.soft_rate);
  visit(Setting{"hard-lr", "peak learning rate, hard stage", budgeted_group, 0, 1}, r.hard_rate);
  visit(Setting{"nested-lr", "peak learning rate, nested stage", group, 0, 1}, r.nested_rate);
  visit(Setting{"gate-lr-factor", "gates learn this much faster", budgeted_group, 0, 1e4},
        r.gate_rate_factor);
  visit(Setting{"warmup", "share of a stage's steps", training_details, 0, 1}, r.warmup);
  visit(Setting{"dropout", "dropout", training_details, 0, 0.99}, r.dropout);
  visit(Setting{"weight-decay", "on matrices", training_details, 0, 10}, r.weight_decay);
  visit(Setting{"clip", "largest gradient norm; 0: no clipping", training_details, 0, no_limit},
        r.clip_norm);
  visit_settings(r.stages, visit);
  visit(Setting{"validate-every", "steps; 0: twice an epoch", training_details, 0, no_limit},
        r.validate_every);
  visit(Setting{"patience", "validations without improvement that end a stage; 0: never", group, 0,
                no_limit},
        r.patience);
  visit(Setting{"until-solved", "the dense stage ends when validation reaches `solved`"},
        r.until_solved);
  visit(Setting{"solved", "the score that ends it"}, r.solved);
  visit(Setting{"bf16", "on a GPU: matrix products in bf16, weights and sums in fp32", group},
        r.bf16);
  visit(Setting{"adaptive-epochs", "adaptive stage", "Adaptive", 0.001, 1e6}, r.adaptive_epochs);
  visit(Setting{"adaptive-lr", "peak learning rate, adaptive stage", "Adaptive", 0, 1},
        r.adaptive_rate);
  visit(Setting{"controller-lr-factor", "controllers learn this much faster", "Adaptive", 0, 1e4},
        r.controller_rate_factor);
  visit_settings(r.adaptive, visit);
}

template <typename Visitor>
void visit_settings(TaskRequest& task, Visitor&& visit) {
  const char* group = "Data";
  visit(Setting{"task",
                "what rows are and what is learned of them (docs/tasks.md, docs/outputs.md); "
                "synthetic makes rows of its own",
                group},
        task.task);
  visit(Setting{"data", "training rows, a data SPEC", group}, task.data);
  visit(Setting{"eval-data", "test rows, a data SPEC; scored once, at the end", group},
        task.eval_data);
  visit(
      Setting{"validation-data",
              "rows to choose by, a data SPEC, or split: rows set aside of --data; without it the "
              "official part of a known set, if it has one, and split otherwise",
              group},
      task.validation_data);
  visit(Setting{"max-tokens", "longest input, special tokens included", group, 4, most_tokens},
        task.max_tokens);
  visit(
      Setting{"truncation",
              "classify, multilabel, regress: what is read of longer texts; auto: head_tail where "
              "many rows are too long",
              group},
      task.truncation);
  visit(Setting{"tokenizer", "word or wordpiece; lm: character or space; --init brings its own",
                group},
        task.tokenizer);
  visit(Setting{"cased", "wordpiece: keep capitals and accents", group}, task.cased);
  visit(Setting{"letter-case",
                "tag: token types tell capitals, where the vocabulary is lower case; =false: not",
                group},
        task.letter_case);
  visit(Setting{"vocab-size", "most words or pieces kept", group, 10, 1e6}, task.vocabulary_size);
  visit(Setting{"min-count", "a word must be seen this often", group, 1, 1e6}, task.min_count);
  visit(Setting{"patch", "images: side of a patch in pixels", group, 1, 4096}, task.patch);
  visit(Setting{"augment",
                "images: each is moved by up to so many pixels either way, in colour also mirrored "
                "half the time; 0: neither",
                group, 0, 4096},
        task.augment);
  visit(Setting{"train-rows", "use a class-balanced sample; 0: all rows", group, 0, no_limit},
        task.train_rows);
  visit(Setting{"validation-rows",
                "rows set aside of --data, class-balanced; 0: a tenth, at most 2,000", group, 0,
                no_limit},
        task.validation_rows);
  visit(Setting{"split-seed", "of the validation split"}, task.split_seed);
}

// What a user chooses of a shape; the rest follows from task and data.
template <typename Visitor>
void visit_settings(ModelShape& shape, Visitor&& visit) {
  const char* group = "Model";
  visit(Setting{"attention", "kind of attention (docs/attention.md)", group}, shape.attention);
  visit(Setting{"layers", "layers", group, 1, 128}, shape.layers);
  visit(Setting{"decoder-layers", "translate: layers of the decoder", group, 0, 128},
        shape.decoder_layers);
  visit(Setting{"width", "width, a multiple of --heads", group, 1, 65536}, shape.width);
  visit(Setting{"heads", "attention heads per layer", group, 1, 1024}, shape.heads);
  visit(Setting{"ffn", "FFN width", group, 1, 1 << 20}, shape.ffn);
}

template <typename Visitor>
void visit_model_settings(TrainRequest& request, Visitor&& visit) {
  visit(
      Setting{"method", "nested: heads and FFN neurons by importance; the others: docs/training.md",
              "Model"},
      request.method);
  visit_settings(request.shape, visit);
  visit(Setting{"budget", "the one budget of --method static", "Model"}, request.static_budget);
}

template <typename Visitor>
void visit_search_settings(TrainRequest& request, Visitor&& visit) {
  visit(Setting{"minutes",
                "try recipes for a third of them, train with the best for the rest; options that "
                "are given stay; 0: no trials, no limit",
                "Training", 0, 1e6},
        request.minutes);
}

// All that decides the course of a run. Left out is what may change between a run and its resuming:
// where files lie, threads and processes, what is stored and shown at the end.
template <typename Visitor>
void visit_settings(TrainRequest& request, Visitor&& visit) {
  visit_settings(request.task, visit);
  visit_model_settings(request, visit);
  visit_settings(request.recipe, visit);
  visit_search_settings(request, visit);
  visit(Setting{"seed", "fixes every random choice"}, request.seed);  // the option is every verb's
}

}  // namespace train
}  // namespace headroom
