// headroom train: data in, checkpoint directory out.
#include <fmt/format.h>

#include "budget/fraction.h"
#include "cli/app.h"
#include "cli/inputs/settings.h"
#include "cli/options.h"
#include "cli/outputs/policy_text.h"
#include "cli/outputs/scores_table.h"
#include "cli/training/training_options.h"
#include "cli/verb.h"
#include "train/settings.h"

namespace headroom {
namespace {

// All options of the verb, bound to a request whose defaults suit a task.
struct TrainCommand {
  CLI::App app{"Trains or fine-tunes a model; all stages of the chosen method.", "headroom train"};
  TrainRequest request;
  TrainingOptions run{"0.25,0.5,0.75,1"};
  bool no_tune = false;

  // Starting from a checkpoint (`fine_tune`) has gentler defaults than starting fresh.
  TrainCommand(Task task, bool fine_tune) : request(default_request(task, fine_tune)) {
    const SettingOptions options(app);
    visit_settings(request.task, options);
    app.add_option("--data-dir", run.data_dir, "where known data sets lie")->group("Data");
    add_max_memory(app, request.task.max_memory,
                   "that rows may take, such as 2G; 0: what the machine has left")
        ->group("Data");
    visit_model_settings(request, options);
    app.add_option("--init", run.init, "checkpoint to start from; its shape and words are kept")
        ->group("Model");
    visit_settings(request.recipe, options);
    visit_search_settings(request, options);
    app.add_flag("--no-tune", no_tune,
                 "without what a nested model that gives a text one label gets from its validation "
                 "rows: temperatures, rung zero and the ladder of --budget auto (headroom tune)")
        ->group("Model");
    app.add_option("--out", run.out, "checkpoint directory to write")->required()->group("Run");
    add_run_options(app, request, run);
    add_machine_options(app, request, run);
    add_config_option(app);
    // Resumed runs name their rows too: the split is made again.
    app.get_option("--data")->required(task != Task::synthetic);
    if (fine_tune) tell_what_is_chosen();
  }

  // Where --init has another default than starting fresh, help names both.
  void tell_defaults_of(TrainCommand& fine_tuning) {
    for (CLI::Option* option : app.get_options()) {
      if (option->get_expected_max() == 0) continue;  // a flag's words would be its value
      const std::string ours = default_of(*option);
      const std::string theirs = default_of(*fine_tuning.app.get_option(option->get_name()));
      if (ours != theirs) option->default_str(fmt::format("{}; with --init: {}", ours, theirs));
    }
  }

 private:
  static std::string default_of(CLI::Option& option) {
    if (option.get_default_str().empty()) option.capture_default_str();  // words stay
    return option.get_default_str();
  }

  // In place of numbers that stand for "left open".
  void tell_what_is_chosen() {
    app.get_option("--max-tokens")->default_str("all that --init reads");
    for (const char* name : {"--epochs", "--nested-epochs"}) {
      app.get_option(name)->default_str("chosen from rows and labels");
    }
    for (const char* name : {"--lr", "--soft-lr", "--hard-lr", "--nested-lr", "--adaptive-lr"}) {
      app.get_option(name)->default_str("chosen from the size of --init");
    }
  }
};

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
  return {scratch.request.task.task, !scratch.run.init.empty()};
}

void check_choices(const TrainCommand& command) {
  const TrainRequest& request = command.request;
  const std::string tokenizer(tokenizer_name(request.task.tokenizer));
  if (traits(request.task.task).rows == RowForm::stream) {
    require_supported("--tokenizer", tokenizer, {"character", "space"});
  } else {
    require_supported("--tokenizer", tokenizer, {"word", "wordpiece"});
  }
  if (request.minutes > 0 && command.run.parallel.processes > 1) {
    throw Error(ErrorCode::usage, "read options", minutes_need_one_process);
  }
  if (request.method != Method::nested && command.app.count("--scope") > 0) {
    const std::string scope(scope_table.name(request.recipe.nested.scope));
    require_supported("--scope", scope, {"heads"});
  }
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
  if (report.policy) fmt::print("\n{}", policy_text(*report.policy));
}

}  // namespace

int run_train(int argc, char** argv) {
  TrainCommand command = command_for(argc, argv);
  if (command.run.init.empty()) {
    TrainCommand fine_tuning(command.request.task.task, true);
    command.tell_defaults_of(fine_tuning);
  }
  return run_app(command.app, argc, argv, [&](bool json) {
    TrainRequest& request = command.request;
    check_choices(command);
    request.tune = !command.no_tune;
    request.static_budget = checked_budget(request.static_budget);
    const auto left_out = [&](const char* name) { return command.app.count(name) == 0; };
    request.search_space = {left_out("--lr"), left_out("--epochs"), left_out("--batch"),
                            left_out("--dropout")};
    run_training(request, command.run, argc, argv, train_model,
                 [&](const TrainReport& report) { print_report(report, request, json); });
  });
}

}  // namespace headroom
