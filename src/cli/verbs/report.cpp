// headroom report: one HTML file about a model; results and claims are left to headroom-train.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/join.h"
#include "base/precision.h"
#include "checkpoint/checkpoint.h"
#include "cli/app.h"
#include "cli/console.h"
#include "cli/engines/engine.h"
#include "cli/engines/measure_model.h"
#include "cli/options.h"
#include "cli/report_page.h"
#include "cli/training/training_program.h"
#include "cli/verb.h"

namespace headroom {
namespace {

// A word as a shell reads it back.
std::string shell_word(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string command_line(int argc, char** argv) {
  std::vector<std::string> words = {"headroom"};
  for (int i = 0; i < argc; ++i) words.push_back(shell_word(argv[i]));
  return join(words, " ");
}

std::vector<report::Command> model_commands(const MeasureRequest& request,
                                            const std::vector<BudgetScore>& ladder) {
  const std::string model = shell_word(request.model.string());
  const std::string data =
      request.data.empty() ? "" : fmt::format(" --data {}", shell_word(request.data));
  const std::string budgets = join(request.budgets, ",");
  std::string spendings = budgets;
  for (const BudgetScore& score : ladder) spendings += score.automatic ? ",auto" : ",0";
  std::vector<report::Command> commands = {
      {fmt::format("headroom eval --model {}{} --budgets {} --precision {}", model, data, spendings,
                   request.precision),
       "The scores alone:"},
      {fmt::format("headroom inspect --model {} --budgets {}", model, budgets),
       "What the checkpoint holds:"}};
  if (request.rounds > 0) {
    commands.push_back(
        {fmt::format("headroom bench --model {} --budgets {} --batch {} --rounds {} "
                     "--precision {}",
                     model, budgets, join(request.batches, ","), request.rounds, request.precision),
         "Times alone:"});
  }
  return commands;
}

report::Chapter report_on_model(MeasureRequest request, size_t examples) {
  std::sort(request.budgets.begin(), request.budgets.end());
  request.budgets.erase(std::unique(request.budgets.begin(), request.budgets.end()),
                        request.budgets.end());
  ConsoleProgress progress;
  report::MeasuredModel model = measure_model(request, progress);
  model.commands = model_commands(request, model.ladder);
  return model_chapter(model, examples);
}

// Fractions of the model make its curve; rung zero and auto stand beside it.
void take_budgets(const CLI::App& app, const std::vector<Budget>& asked, MeasureRequest& request) {
  if (app.count("--budgets") > 0) request.ladder.emplace();
  for (const Budget& budget : asked) {
    if (budget.automatic || budget.fraction == 0) {
      request.ladder->push_back(budget);
    } else {
      request.budgets.push_back(budget.fraction);
    }
  }
  if (request.budgets.empty()) {
    throw Error(ErrorCode::usage, "report",
                "--budgets needs a fraction of the model, such as 1, beside 0 and auto");
  }
}

struct ReportOptions {
  MeasureRequest request;
  std::vector<std::string> results;
  std::string claims;
  std::string out;
  size_t examples = 12;
};

// Chapters for headroom-train, in a file without a name that it inherits.
std::string hand_over(const std::vector<report::Chapter>& chapters) {
  const std::string text = to_json(chapters).dump();
  const int descriptor = memfd_create("chapters", 0);
  if (descriptor < 0 ||
      write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw Error(ErrorCode::runtime, "report",
                fmt::format("memfd_create: {}", std::strerror(errno)));
  }
  return fmt::format("/dev/fd/{}", descriptor);
}

// Results and claims are read by headroom-train, which knows the experiments.
std::vector<std::string> words_for_training_program(const ReportOptions& options,
                                                    const std::vector<report::Chapter>& chapters,
                                                    const std::string& command, bool json) {
  std::vector<std::string> words = {"report", "--out", options.out, "--command", command};
  if (json) words.emplace_back("--json");
  for (const std::string& folder : options.results) {
    words.insert(words.end(), {"--results", folder});
  }
  if (!options.claims.empty()) words.insert(words.end(), {"--claims", options.claims});
  if (!chapters.empty()) words.insert(words.end(), {"--chapters", hand_over(chapters)});
  return words;
}

}  // namespace

int run_report(int argc, char** argv) {
  CLI::App app(
      "Writes one HTML file, with plots, about a model on labelled data or about the results of "
      "reproduce; or, with --claims, the table of published claims as Markdown.",
      "headroom report");
  ReportOptions options;
  MeasureRequest& request = options.request;
  std::optional<Precision> precision;
  std::string model;
  std::string budgets = "0.125,0.25,0.5,0.75,1";
  std::string data_dir = default_data_dir();
  std::string batches = "1";
  std::string tokens;
  app.add_option("--model", model, "checkpoint directory, scored by the native engine");
  app.add_option("--data", request.data, "data SPEC; a synthetic model makes its own rows");
  app.add_option("--results", options.results, "folder that reproduce wrote; repeatable")
      ->allow_extra_args(false);
  app.add_option("--claims", options.claims,
                 "folder of such folders: every published claim with what we found");
  app.add_option("--out", options.out, "file to write")->required();
  app.add_option(
      "--budgets", budgets,
      "comma-separated fractions in (0, 1], 0 (rung zero) and auto; without it those two where "
      "the model has them");
  add_precision(app, precision);
  app.add_option("--examples", options.examples, "answers that change with the budget to show");
  app.add_option("--rounds", request.rounds, "timed rounds; 0: measure no time")
      ->check(CLI::Range(0, 100000));
  app.add_option("--batch", batches, "batch sizes to time");
  app.add_option("--tokens", tokens, "lengths to time; without it the rows' mean");
  add_data_dir(app, data_dir);
  add_threads(app, request.threads, "CPU threads that score the rows; 0: one per core");
  std::vector<std::string> left_to_do;
  const int code = run_app(app, argc, argv, [&](bool json) {
    const bool about_claims = !options.claims.empty();
    const bool about_others = !model.empty() || !options.results.empty();
    if (about_claims == about_others) {
      throw Error(ErrorCode::usage, "report",
                  "give --model with --data, --results, or both; or --claims alone");
    }
    std::vector<report::Chapter> chapters;
    if (!model.empty()) {
      request.model = model;
      request.data_dir = data_dir;
      const ModelConfig config = read_config(model);
      if (!answers_text(config.task)) {
        throw Error(ErrorCode::usage, "report",
                    fmt::format("{} is of task {}: reports are about models that answer texts",
                                model, task_name(config.task)));
      }
      take_budgets(app, asked_spendings(app, config, budgets), request);
      request.precision = precision_table.name(asked_precision(model, config, precision));
      request.batches = parse_counts("--batch", batches);
      if (!tokens.empty()) request.tokens = parse_counts("--tokens", tokens);
      chapters.push_back(report_on_model(request, options.examples));
    }
    const std::string command = command_line(argc, argv);
    if (about_claims || !options.results.empty()) {
      left_to_do = words_for_training_program(options, chapters, command, json);
    } else {
      write_report(options.out, chapters, command, json);
    }
  });
  return left_to_do.empty() ? code : start_training_program(left_to_do);
}

}  // namespace headroom
