// headroom eval: accuracy and cost of one checkpoint at each budget.
#include <fmt/format.h>

#include "budget/fraction.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/scores_table.h"
#include "cli/verb.h"
#include "train/evaluate_checkpoint.h"

namespace headroom {

int run_eval(int argc, char** argv) {
  CLI::App app("Accuracy and cost of a checkpoint at each budget.", "headroom eval");
  EvalRequest request;
  std::string model;
  std::string budgets = "0.25,0.5,0.75,1";
  std::string data_dir = default_data_dir();
  std::string engine = "torch";
  app.add_option("--model", model, "checkpoint directory")->required();
  app.add_option("--data", request.data, "data SPEC; a synthetic model makes its own rows");
  app.add_option("--budgets", budgets, "comma-separated fractions in (0, 1]");
  app.add_option("--engine", engine, "torch");
  add_data_dir(app, data_dir);
  add_threads(app, request.threads);
  add_device(app, request.device);
  return run_app(app, argc, argv, [&](bool json) {
    require_supported("--engine", engine, {"torch"});
    request.model = model;
    request.data_dir = data_dir;
    request.budgets = parse_budgets(budgets);
    const std::vector<BudgetScore> scores = evaluate_checkpoint(request);
    for (const BudgetScore& score : scores) {
      if (json) print_json_line(to_json(score));
    }
    if (json) return;
    print_table(scores_table(scores));
    fmt::print("\n{} rows; MACs are means per row at the rows' own lengths\n", scores[0].examples);
  });
}

}  // namespace headroom
