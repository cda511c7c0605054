// headroom eval: accuracy and cost of one checkpoint at each budget.
#include <fmt/format.h>

#include "base/measure/machine.h"
#include "base/precision.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/score_file.h"
#include "cli/app.h"
#include "cli/engines/engine.h"
#include "cli/options.h"
#include "cli/outputs/scores_table.h"
#include "cli/verb.h"
#include "data/catalog/spec_name.h"

namespace headroom {
namespace {

void print_scores(const std::vector<BudgetScore>& scores, bool json) {
  if (json) {
    for (const BudgetScore& score : scores) print_json_line(to_json(score));
    return;
  }
  print_table(scores_table(scores));
  fmt::print("\n{} {}; MACs are means per row at the rows' own lengths\n", scores[0].examples,
             scores[0].measure == Measure::perplexity ? "tokens" : "rows");
}

}  // namespace

int run_eval(int argc, char** argv) {
  CLI::App app("Accuracy and cost of a checkpoint at each budget.", "headroom eval");
  EngineRequest request;
  std::optional<Precision> precision;
  std::string data;
  std::string model;
  std::string budgets = "0.25,0.5,0.75,1";
  std::string data_dir = default_data_dir();
  app.add_option("--model", model, "checkpoint directory")->required();
  app.add_option("--data", data, "data SPEC; a synthetic model makes its own rows");
  app.add_option("--budgets", budgets,
                 "comma-separated fractions in (0, 1], 0 (rung zero) and auto, or adaptive");
  bool save = false;
  app.add_flag(
      "--save", save,
      "keep the result in the checkpoint (scores.json), where plan and the server's page find it");
  add_engine(app, request.engine);
  add_precision(app, precision);
  add_data_dir(app, data_dir);
  add_threads(app, request.threads);
  add_device(app, request.device);
  return run_app(app, argc, argv, [&](bool json) {
    request.model = model;
    const ModelConfig config = read_config(model);
    require_task(config.task, request.engine);
    request.precision = asked_precision(model, config, precision);
    if (save && !answers_text(config.task)) {
      throw Error(ErrorCode::usage, "read options", "--save is for models that answer texts");
    }
    const std::vector<BudgetScore> scores =
        score_model(request, config, data, data_dir, asked_spendings(app, config, budgets));
    print_scores(scores, json);  // first, so that an unwritable checkpoint does not cost the result
    if (!save) return;
    std::vector<BudgetScore> curve = scores;
    std::erase_if(curve, [](const BudgetScore& at) { return at.automatic || at.budget == 0; });
    const std::string name = data.empty() ? "synthetic" : data_name(data);
    write_scores(model, {name, std::string(precision_table.name(request.precision)), today(),
                         std::move(curve)});
  });
}

}  // namespace headroom
