// headroom train: data in, checkpoint directory out.
#include <fmt/format.h>

#include <optional>

#include "budget/fraction.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/parallel.h"
#include "cli/scores_table.h"
#include "cli/verb.h"
#include "train/train_model.h"

namespace headroom {
namespace {

// The contract's words; what they mean inside.
struct TrainWords {
  std::string task = "classify";
  std::string method = "budgeted";
  std::string scope;  // empty: what the method governs
  std::string allocation = "uniform";
  std::string tokenizer = "word";
  std::string weights = "fp32";
  std::string attention = "standard";
  std::string budgets = "0.25,0.5,0.75,1";
  std::string out;
  std::string init;
  std::string data_dir = default_data_dir();
};

// All options of the verb, bound to a request whose defaults suit a task.
struct TrainCommand {
  CLI::App app{"Trains or fine-tunes a model; all stages of the chosen method.", "headroom train"};
  TrainRequest request;
  TrainWords words;
  ParallelOptions parallel;

  // Starting from a checkpoint (`fine_tune`) has gentler defaults than starting fresh.
  TrainCommand(Task task, bool fine_tune) {
    request.task.task = task;
    request.recipe = default_recipe(task);
    if (fine_tune) request.recipe = fine_tuning_recipe(request.recipe);
    request.shape = default_shape(task);
    words.task = task_name(task);
    set_task_defaults(task);
    add_task_options();
    add_model_options();
    add_recipe_options();
    add_adaptive_options();
    add_run_options();
    add_parallel(app, parallel);
    add_config_option(app);
  }

 private:
  void set_task_defaults(Task task) {
    if (task == Task::lm) {
      words.tokenizer = tokenizer_name(TokenizerKind::character);
      request.task.max_tokens = 256;
    }
    if (task == Task::translate) {
      words.tokenizer = tokenizer_name(TokenizerKind::wordpiece);
      words.method = method_name(Method::dense);
      request.task.vocabulary_size = 8000;
    }
  }

  template <typename Value>
  CLI::Option* add(const char* group, const char* name, Value& value, const char* meaning) {
    return app.add_option(name, value, meaning)->group(group);
  }

  void add_task_options() {
    TaskRequest& task = request.task;
    const char* group = "Data";
    add(group, "--task", words.task,
        "classify, pair, image, lm, translate, or synthetic (the marked-token task)");
    add(group, "--data", task.data, "training rows, a data SPEC");
    add(group, "--eval-data", task.eval_data, "test rows, a data SPEC; scored once, at the end");
    add(group, "--data-dir", words.data_dir, "where known data sets lie");
    add(group, "--max-tokens", task.max_tokens, "longest input, special tokens included")
        ->check(CLI::Range(4, 4096));
    add(group, "--tokenizer", words.tokenizer,
        "word or wordpiece; lm: character or space; --init brings its own");
    app.add_flag("--cased{false}", task.lower_case, "wordpiece: keep capitals and accents")
        ->group(group);
    add(group, "--vocab-size", task.vocabulary_size, "most words or pieces kept")
        ->check(CLI::Range(10, 1000000));
    add(group, "--min-count", task.min_count, "a word must be seen this often")
        ->check(CLI::Range(1, 1000000));
    add(group, "--patch", task.patch, "images: side of a patch in pixels")
        ->check(CLI::Range(1, 4096));
    add(group, "--train-rows", task.train_rows, "use a class-balanced sample; 0: all rows")
        ->check(CLI::NonNegativeNumber);
    add_max_memory(app, task.max_memory,
                   "that rows may take, such as 2G; 0: what the machine has left")
        ->group(group);
    add(group, "--validation-rows", task.validation_rows,
        "rows set aside, class-balanced; 0: a tenth, at most 2,000")
        ->check(CLI::NonNegativeNumber);
  }

  void add_model_options() {
    ModelShape& shape = request.shape;
    const char* group = "Model";
    add(group, "--method", words.method, "dense, nested, budgeted, static or adaptive");
    add(group, "--scope", words.scope,
        "what the budget governs: heads+ffn (nested, the default) or heads (all methods)");
    add(group, "--allocation", words.allocation,
        "how a nested budget is spread over layers: uniform, ranked or depth");
    add(group, "--ffn-group", request.recipe.nested.group_width,
        "FFN neurons that come alive together; 0: up to 64")
        ->check(CLI::NonNegativeNumber);
    add_attention(app, words.attention)->group(group);
    add(group, "--init", words.init, "checkpoint to start from; its shape and words are kept");
    add(group, "--layers", shape.layers, "layers")->check(CLI::Range(1, 128));
    add(group, "--decoder-layers", shape.decoder_layers, "translate: layers of the decoder")
        ->check(CLI::Range(0, 128));
    add(group, "--width", shape.width, "width, a multiple of --heads")->check(CLI::Range(1, 65536));
    add(group, "--heads", shape.heads, "attention heads per layer")->check(CLI::Range(1, 1024));
    add(group, "--ffn", shape.ffn, "FFN width")->check(CLI::Range(1, 1 << 20));
    app.add_flag("--free-slopes", request.recipe.free_slopes,
                 "one gate slope per head, as published; selections may then not be nested")
        ->group(group);
    add(group, "--budget", request.static_budget, "the one budget of --method static");
  }

  void add_recipe_options() {
    Recipe& recipe = request.recipe;
    StageSettings& stages = recipe.stages;
    const char* group = "Training";
    add(group, "--epochs", recipe.dense_epochs, "dense stage; 0, for adaptive only: none")
        ->check(CLI::Range(0.0, 1e6));
    add(group, "--soft-epochs", recipe.soft_epochs, "soft stage")->check(CLI::Range(0.001, 1e6));
    add(group, "--hard-epochs", recipe.hard_epochs, "hard stage")->check(CLI::Range(0.001, 1e6));
    add(group, "--nested-epochs", recipe.nested_epochs, "nested stage")
        ->check(CLI::Range(0.001, 1e6));
    add(group, "--batch", recipe.batch_size, "rows a step")->check(CLI::Range(1, 65536));
    add(group, "--lr", recipe.dense_rate, "peak learning rate, dense stage")
        ->check(CLI::Range(0.0, 1.0));
    add(group, "--soft-lr", recipe.soft_rate, "peak learning rate, soft stage")
        ->check(CLI::Range(0.0, 1.0));
    add(group, "--hard-lr", recipe.hard_rate, "peak learning rate, hard stage")
        ->check(CLI::Range(0.0, 1.0));
    add(group, "--nested-lr", recipe.nested_rate, "peak learning rate, nested stage")
        ->check(CLI::Range(0.0, 1.0));
    add(group, "--gate-lr-factor", recipe.gate_rate_factor, "gates learn this much faster")
        ->check(CLI::Range(0.0, 1e4));
    add(group, "--warmup", recipe.warmup, "share of a stage's steps")->check(CLI::Range(0.0, 1.0));
    add(group, "--dropout", recipe.dropout, "dropout")->check(CLI::Range(0.0, 0.99));
    add(group, "--weight-decay", recipe.weight_decay, "on matrices")->check(CLI::Range(0.0, 10.0));
    add(group, "--clip", recipe.clip_norm, "largest gradient norm; 0: no clipping")
        ->check(CLI::NonNegativeNumber);
    add(group, "--label-smoothing", stages.label_smoothing, "label smoothing")
        ->check(CLI::Range(0.0, 0.99));
    add(group, "--mass-weight", stages.mass_weight, "penalty on the mean gate");
    add(group, "--overshoot-weight", stages.overshoot_weight, "penalty on exceeding the budget");
    add(group, "--distill-weight", stages.distill_weight, "share of the teacher in the loss")
        ->check(CLI::Range(0.0, 1.0));
    add(group, "--temperature", stages.temperature, "of distillation")
        ->check(CLI::Range(0.01, 100.0));
    add(group, "--validate-every", recipe.validate_every, "steps; 0: twice an epoch")
        ->check(CLI::NonNegativeNumber);
    add(group, "--patience", recipe.patience,
        "validations without improvement that end a stage; 0: never")
        ->check(CLI::NonNegativeNumber);
  }

  // A number that changes over the stage; both points are shares of it.
  void add_ramp(const std::string& name, Ramp& ramp, const std::string& meaning) {
    const char* group = "Adaptive";
    add(group, ("--" + name + "-first").c_str(), ramp.first, (meaning + ", at first").c_str());
    add(group, ("--" + name + "-last").c_str(), ramp.last, (meaning + ", at last").c_str());
    add(group, ("--" + name + "-from").c_str(), ramp.begin, "share of the stage where it begins")
        ->check(CLI::Range(0.0, 1.0));
    add(group, ("--" + name + "-until").c_str(), ramp.end, "and where it ends to change")
        ->check(CLI::Range(0.0, 1.0));
  }

  void add_adaptive_options() {
    const char* group = "Adaptive";
    AdaptiveSettings& adaptive = request.recipe.adaptive;
    add(group, "--adaptive-epochs", request.recipe.adaptive_epochs, "adaptive stage")
        ->check(CLI::Range(0.001, 1e6));
    add(group, "--adaptive-lr", request.recipe.adaptive_rate, "peak learning rate, adaptive stage")
        ->check(CLI::Range(0.0, 1.0));
    add(group, "--controller-lr-factor", request.recipe.controller_rate_factor,
        "controllers learn this much faster")
        ->check(CLI::Range(0.0, 1e4));
    add(group, "--controller-width", adaptive.hidden, "of controllers; 0: a quarter of --width")
        ->check(CLI::Range(0, 65536));
    add(group, "--initial-share", adaptive.initial_share, "of heads, before training")
        ->check(CLI::Range(0.001, 0.999));
    add(group, "--share-low", adaptive.share_low, "s below it is penalised")
        ->check(CLI::Range(0.0, 1.0));
    add(group, "--share-high", adaptive.share_high, "s above it is penalised")
        ->check(CLI::Range(0.0, 1.0));
    add(group, "--hinge-weight", adaptive.hinge_weight, "of these two penalties")
        ->check(CLI::NonNegativeNumber);
    add_ramp("share-weight", adaptive.share_weight, "penalty on the share of heads");
    add_ramp("entropy-weight", adaptive.entropy_weight, "reward for the entropy of q");
    add_ramp("tau", adaptive.temperature, "temperature of q");
    add_ramp("noise", adaptive.noise, "Gumbel noise on head relevance");
    add_ramp("hard", adaptive.hard, "share of examples with whole heads");
    add(group, "--adaptive-distill", adaptive.distill_weight,
        "share of the loss that follows the model of the dense stage")
        ->check(CLI::Range(0.0, 1.0));
    app.add_flag("--cap-gates", adaptive.gates,
                 "train gates too, which rank heads under a --budget")
        ->group(group);
  }

  void add_run_options() {
    const char* group = "Run";
    add(group, "--out", words.out, "checkpoint directory to write")->required();
    app.add_flag("--resume", request.resume, "go on with the unfinished run beside --out")
        ->group(group);
    app.add_flag("--restart", request.restart, "discard the unfinished run beside --out")
        ->group(group);
    add(group, "--save-seconds", request.save_seconds, "between saved states")
        ->check(CLI::NonNegativeNumber);
    add(group, "--weights", words.weights, "how weights are stored: fp32 or bf16");
    add(group, "--budgets", words.budgets, "budgets shown at the end");
    add_seed(app, request.seed);
    add_threads(app, request.threads);
    add_device(app, request.device);
    app.add_flag("--bf16", request.recipe.bf16,
                 "on a GPU: matrix products in bf16, weights and sums in fp32")
        ->group(group);
  }
};

std::optional<Task> find_task(const std::string& name) {
  for (const Task task :
       {Task::classify, Task::pair, Task::image, Task::lm, Task::translate, Task::synthetic}) {
    if (task_name(task) == name) return task;
  }
  return std::nullopt;
}

// The task and --init decide the defaults of the other options, so they are read first. What is
// wrong with the command line is told when it is parsed for good.
TrainCommand command_for(int argc, char** argv) {
  TrainCommand scratch(Task::classify, false);
  prepare_app(scratch.app);
  try {
    scratch.app.parse(argc, argv);
  } catch (const CLI::Error&) {
  } catch (const Error&) {
  }
  return {find_task(scratch.words.task).value_or(Task::classify), !scratch.words.init.empty()};
}

TokenizerKind tokenizer_from(const std::string& name, Task task) {
  if (task == Task::lm) {
    require_supported("--tokenizer", name, {"character", "space"});
    return name == "space" ? TokenizerKind::space : TokenizerKind::character;
  }
  require_supported("--tokenizer", name, {"word", "wordpiece"});
  return name == "word" ? TokenizerKind::word : TokenizerKind::wordpiece;
}

Method method_from(const std::string& name) {
  require_supported("--method", name, {"dense", "nested", "budgeted", "static", "adaptive"});
  return name == "dense"      ? Method::dense
         : name == "nested"   ? Method::nested
         : name == "static"   ? Method::static_gates
         : name == "adaptive" ? Method::adaptive
                              : Method::budgeted;
}

NestedSettings nested_from(const TrainWords& words, Method method, NestedSettings nested) {
  if (method == Method::nested) {
    require_supported("--scope", words.scope, {"", "heads", "heads+ffn"});
  } else {
    require_supported("--scope", words.scope, {"", "heads"});
  }
  require_supported("--allocation", words.allocation, {"uniform", "ranked", "depth"});
  nested.ffn = words.scope != "heads";
  nested.allocation = words.allocation == "ranked"  ? Allocation::ranked
                      : words.allocation == "depth" ? Allocation::depth
                                                    : Allocation::uniform;
  return nested;
}

void print_report(const TrainReport& report, const TrainRequest& request, bool json) {
  if (json) {
    for (const BudgetScore& score : report.scores) {
      Json line = to_json(score);
      line["scored_on"] = report.scored_on;
      print_json_line(line);
    }
    return;
  }
  print_table(scores_table(report.scores));
  fmt::print("\nscored on {} {} {}; {} steps, {:.0f} samples/s; checkpoint: {}\n",
             report.scores[0].examples, report.scored_on,
             report.scores[0].measure == Measure::perplexity ? "tokens" : "rows", report.steps,
             report.samples_per_second, request.out.string());
}

}  // namespace

int run_train(int argc, char** argv) {
  TrainCommand command = command_for(argc, argv);
  return run_app(command.app, argc, argv, [&](bool json) {
    TrainRequest& request = command.request;
    const TrainWords& words = command.words;
    require_supported("--task", words.task,
                      {"classify", "pair", "image", "lm", "translate", "synthetic"});
    request.shape.attention = parse_attention(words.attention);
    require_supported("--weights", words.weights, {"fp32", "bf16"});
    request.method = method_from(words.method);
    request.recipe.nested = nested_from(words, request.method, request.recipe.nested);
    request.task.tokenizer = tokenizer_from(words.tokenizer, request.task.task);
    request.bf16_weights = words.weights == "bf16";
    request.static_budget = checked_budget(request.static_budget);
    request.budgets = parse_budgets(words.budgets);
    request.out = words.out;
    request.init = words.init;
    request.task.data_dir = words.data_dir;
    request.task.split_seed = request.seed;
    if (run_copies(command.parallel, argc, argv)) return;
    request.parallel = command.parallel.settings;
    const TrainReport report = train_model(request, *rank_progress(command.parallel));
    if (request.parallel.place.rank == 0) print_report(report, request, json);
  });
}

}  // namespace headroom
