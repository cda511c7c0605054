// headroom tune: fits the ladder of --budget auto to rows, proves what it promises on others, and
// keeps it in the checkpoint.
#include <fmt/format.h>

#include <algorithm>

#include "base/join.h"
#include "base/precision.h"
#include "budget/fraction.h"
#include "budget/ladder/why_no_auto.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/policy_file.h"
#include "cli/app.h"
#include "cli/console.h"
#include "cli/engines/engine.h"
#include "cli/engines/native_model.h"
#include "cli/engines/native_scoring.h"
#include "cli/options.h"
#include "cli/outputs/policy_text.h"
#include "cli/verb.h"
#include "data/split.h"
#include "data/unlabelled.h"
#include "tune/session_model.h"
#include "tune/tune.h"

namespace headroom {
namespace {

struct TuneRequest {
  std::string model;
  std::string data;
  std::string texts;
  std::string distill;
  int64_t validation_rows = 0;
  uint64_t split_seed = 1;
  std::string data_dir = default_data_dir();
  std::optional<Precision> precision;
  int threads = 0;
};

struct TuneInputs {
  TuneRows rows;
  std::vector<Tokens> distilled;
};

std::vector<Tokens> read_unlabelled(const EngineModel& model, const TuneRequest& request) {
  std::vector<Tokens> inputs;
  for (const UnlabelledText& each :
       load_unlabelled(request.texts, request.data_dir, model.config().task).texts) {
    inputs.push_back(tokenise(model, {each.text, each.pair}));
  }
  return inputs;
}

// The rows that training set aside are fitted to and held back; the others it has seen.
void split_trained(const std::vector<Tokens>& all, const std::vector<int32_t>& labels,
                   const TuneRequest& request, TuneInputs& inputs) {
  const SplitIndices split = split_stratified(labels, request.validation_rows, request.split_seed);
  for (const int32_t row : split.validation) {
    inputs.rows.inputs.push_back(all[static_cast<size_t>(row)]);
    inputs.rows.labels.push_back(labels[static_cast<size_t>(row)]);
  }
  for (const int32_t row : split.train) {
    inputs.distilled.push_back(all[static_cast<size_t>(row)]);
  }
}

TuneInputs read_inputs(const EngineModel& model, const TuneRequest& request) {
  TuneInputs inputs;
  if (request.data.empty() && request.texts.empty() && model.config().task != Task::synthetic) {
    throw Error(ErrorCode::usage, "tune",
                "give rows: --data SPEC, or --texts FILE or SPEC without labels");
  }
  if (!request.data.empty() || model.config().task == Task::synthetic) {
    const EncodedDataset rows = eval_rows_of(model, request.data, request.data_dir);
    if (request.validation_rows > 0) {
      split_trained(inputs_of(rows), rows.labels, request, inputs);
    } else {
      inputs.rows = {inputs_of(rows), rows.labels};
    }
  }
  if (!request.texts.empty()) {
    std::vector<Tokens> texts = read_unlabelled(model, request);
    std::vector<Tokens>& target =
        inputs.rows.inputs.empty() ? inputs.rows.inputs : inputs.distilled;
    std::move(texts.begin(), texts.end(), std::back_inserter(target));
  }
  if (!request.distill.empty()) {
    for (Tokens& row : inputs_of(eval_rows_of(model, request.distill, request.data_dir))) {
      inputs.distilled.push_back(std::move(row));
    }
  }
  return inputs;
}

Json calibration_json(const BudgetCalibration& at) {
  Json json = {{"budget", at.budget}, {"temperature", at.temperature}, {"agreement", at.agreement}};
  if (at.rung_zero > 0) json["rung_zero"] = at.rung_zero;
  if (at.accuracy) json["accuracy"] = *at.accuracy;
  if (at.error_before) json["calibration_error_before"] = *at.error_before;
  if (at.error_after) json["calibration_error"] = *at.error_after;
  return json;
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.2f} %", 100 * *share) : "";
}

void print_calibrations(const std::vector<BudgetCalibration>& budgets) {
  Table table{{"budget", "temperature", "rung zero", "agreement", "accuracy", "calibration error",
               "before"},
              {}};
  for (const BudgetCalibration& at : budgets) {
    table.rows.push_back({fmt::format("{}", at.budget), fmt::format("{:.3f}", at.temperature),
                          at.rung_zero > 0 ? fmt::format("{:.3f}", at.rung_zero) : "",
                          percent(at.agreement), percent(at.accuracy),
                          at.error_after ? fmt::format("{:.4f}", *at.error_after) : "",
                          at.error_before ? fmt::format("{:.4f}", *at.error_before) : ""});
  }
  print_table(table);
}

}  // namespace

int run_tune(int argc, char** argv) {
  CLI::App app(
      "Fits a temperature for every budget and the ladder of --budget auto to rows, proves its "
      "promise on rows held back, and keeps both in the checkpoint (policy.json, "
      "rung_zero.safetensors).",
      "headroom tune");
  TuneRequest request;
  TuneSettings settings;
  std::string budgets = "0.125,0.25,0.5,1";
  bool no_rung_zero = false;
  bool no_blend = false;
  double agreement = 0.99;
  double max_loss = 0;
  double mean_budget = 0;
  app.add_option("--model", request.model, "checkpoint directory")->required();
  app.add_option("--data", request.data,
                 "data SPEC of rows that the model was not trained on, to fit to and to check");
  app.add_option(
      "--texts", request.texts,
      "a file of texts, one a line (of pairs both with a tab between them), or a data SPEC, "
      "whose labels do not matter: in place of --data, or beside it for rung zero");
  app.add_option("--distill", request.distill,
                 "data SPEC of more rows for rung zero, which may be those of the training");
  app.add_option("--validation-rows", request.validation_rows,
                 "--data is what train was given: fit and check on the rows that it set aside, so "
                 "many of them, and distil the others")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--split-seed", request.split_seed, "of that split, as train had it");
  CLI::Option* agreement_option = app.add_option(
      "--agreement", agreement, "promise: the full model's label for this share of texts");
  CLI::Option* loss_option =
      app.add_option("--max-loss", max_loss, "promise: accuracy at most this much below it");
  CLI::Option* mean_option = app.add_option(
      "--mean-budget", mean_budget, "promise: texts take this budget on average; the best for it");
  agreement_option->excludes(loss_option)->excludes(mean_option);
  loss_option->excludes(mean_option);
  app.add_option("--certainty", settings.certainty, "with which the promise holds on such rows");
  app.add_option("--budgets", budgets, "comma-separated fractions that may become rungs");
  app.add_flag("--no-rung-zero", no_rung_zero, "no bag of n-grams in front of the model");
  app.add_flag("--no-blend", no_blend,
               "answers of the model's budgets are the model's alone; without it rung zero has a "
               "say in them where that is better");
  app.add_option("--ngrams", settings.ngrams.orders, "rung zero: tokens of the longest n-gram")
      ->check(CLI::Range(1, 3));
  app.add_option("--epochs", settings.ngrams.epochs,
                 "rung zero: passes over its rows; 0: 10 to 40, fewer the more rows")
      ->check(CLI::Range(0, 1000));
  add_data_dir(app, request.data_dir);
  add_precision(app, request.precision);
  add_threads(app, request.threads);
  add_seed(app, settings.seed);
  return run_app(app, argc, argv, [&](bool json) {
    settings.rung_zero = !no_rung_zero;
    settings.blend = !no_blend;
    settings.ngrams.seed = settings.seed;
    settings.promised = agreement;
    if (*loss_option) {
      settings.promise = Promise::max_loss;
      settings.promised = max_loss;
    } else if (*mean_option) {
      settings.promise = Promise::mean_budget;
      settings.promised = mean_budget;
    }
    const ModelConfig config = read_config(request.model);
    if (!classifies_text(config.task)) {
      throw Error(ErrorCode::usage, "tune",
                  fmt::format("{} is a model of task {}: {}", request.model, task_name(config.task),
                              why_no_auto(config.task)));
    }
    settings.budgets = asked_budgets(app, config, budgets);
    if (settings.budgets.back() != 1) settings.budgets.push_back(1);
    std::sort(settings.budgets.begin(), settings.budgets.end());
    settings.budgets.erase(std::unique(settings.budgets.begin(), settings.budgets.end()),
                           settings.budgets.end());
    check_budgets(config, settings.budgets);
    EngineOptions options;
    const Precision precision = asked_precision(request.model, config, request.precision);
    options.precision = precision;
    options.without_policy = true;
    const auto model = EngineModel::load(request.model, config, options);
    Session session(model, thread_count(request.threads),
                    find_text_latencies(request.model, precision));
    const TuneInputs inputs = read_inputs(*model, request);
    TuneReport report;
    {
      ConsoleProgress progress;
      report = tune(tunable_model(session), inputs.rows, inputs.distilled, settings, progress);
    }
    report.policy.precision = precision_table.name(precision);
    write_policy(request.model, report.policy, report.rung_zero);
    if (json) {
      Json line = to_json(report.policy);
      line["budgets"] = Json::array();
      for (const BudgetCalibration& at : report.budgets) {
        line["budgets"].push_back(calibration_json(at));
      }
      print_json_line(line);
      return;
    }
    print_calibrations(report.budgets);
    fmt::print("\n{}", policy_text(report.policy));
  });
}

}  // namespace headroom
