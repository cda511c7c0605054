// headroom report: one HTML file about a model or about results; or the table of published claims.
#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/join.h"
#include "base/machine.h"
#include "checkpoint/checkpoint.h"
#include "cli/app.h"
#include "cli/console.h"
#include "cli/measure_model.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "experiments/claims/page.h"
#include "experiments/results_report.h"

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

std::vector<ReportCommand> model_commands(const MeasureRequest& request) {
  const std::string model = shell_word(request.model.string());
  const std::string data =
      request.data.empty() ? "" : fmt::format(" --data {}", shell_word(request.data));
  const std::string budgets = join(request.budgets, ",");
  std::vector<ReportCommand> commands = {
      {fmt::format("headroom eval --model {}{} --budgets {} --precision {}", model, data, budgets,
                   request.precision),
       "The accuracies alone:"},
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

ReportChapter report_on_model(MeasureRequest request, size_t examples) {
  std::sort(request.budgets.begin(), request.budgets.end());
  request.budgets.erase(std::unique(request.budgets.begin(), request.budgets.end()),
                        request.budgets.end());
  ConsoleProgress progress;
  MeasuredModel model = measure_model(request, progress);
  model.commands = model_commands(request);
  return model_chapter(model, examples);
}

void tell(const std::string& out, const std::string& content, const Json& parts, bool json) {
  if (json) {
    print_json_line({{"out", out}, {"bytes", content.size()}, {"chapters", parts}});
  } else {
    fmt::print("{}: {:.0f} kB\n", out, static_cast<double>(content.size()) / 1e3);
  }
}

Json list_chapters(const ReportPage& page) {
  Json chapters = Json::array();
  for (const ReportChapter& chapter : page.chapters) {
    Json sections = Json::array();
    for (const ReportSection& section : chapter.sections) {
      if (!section.body.empty()) sections.push_back(section.id);
    }
    chapters.push_back({{"title", chapter.title}, {"sections", sections}});
  }
  return chapters;
}

struct ReportOptions {
  MeasureRequest request;
  std::vector<std::string> results;
  std::string claims;
  std::string out;
  size_t examples = 12;
};

void write_report(const ReportOptions& options, const std::string& command, bool json) {
  ReportPage page;
  if (!options.request.model.empty()) {
    page.chapters.push_back(report_on_model(options.request, options.examples));
  }
  for (const std::string& folder : options.results) {
    page.chapters.push_back(results_chapter(read_results(folder)));
  }
  page.title = page.chapters.size() == 1 ? page.chapters[0].title : "headroom report";
  page.made =
      fmt::format("Made by headroom {} on {}. One file; it asks for nothing from elsewhere.",
                  HEADROOM_VERSION, today());
  page.command = command;
  const std::string html = write_html(page);
  write_file_atomically(options.out, html);
  tell(options.out, html, list_chapters(page), json);
}

void write_claims(const ReportOptions& options, bool json) {
  const std::string page = claims_page(options.claims);
  write_file_atomically(options.out, page);
  tell(options.out, page, Json::array(), json);
}

}  // namespace

int run_report(int argc, char** argv) {
  CLI::App app(
      "Writes one HTML file, with plots, about a model on labelled data or about the results of "
      "reproduce; or, with --claims, the table of published claims as Markdown.",
      "headroom report");
  ReportOptions options;
  MeasureRequest& request = options.request;
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
  app.add_option("--budgets", budgets, "comma-separated fractions in (0, 1]");
  app.add_option("--precision", request.precision, "fp32, bf16 or int8");
  app.add_option("--examples", options.examples, "answers that change with the budget to show");
  app.add_option("--rounds", request.rounds, "timed rounds; 0: measure no time")
      ->check(CLI::Range(0, 100000));
  app.add_option("--batch", batches, "batch sizes to time");
  app.add_option("--tokens", tokens, "lengths to time; without it the rows' mean");
  add_data_dir(app, data_dir);
  add_threads(app, request.threads, "CPU threads that score the rows; 0: one per core");
  return run_app(app, argc, argv, [&](bool json) {
    const bool about_claims = !options.claims.empty();
    const bool about_others = !model.empty() || !options.results.empty();
    if (about_claims == about_others) {
      throw Error(ErrorCode::usage, "report",
                  "give --model with --data, --results, or both; or --claims alone");
    }
    if (about_claims) return write_claims(options, json);
    if (!model.empty()) {
      request.model = model;
      request.data_dir = data_dir;
      request.budgets = asked_budgets(app, read_config(model), budgets);
      request.batches = parse_counts("--batch", batches);
      if (!tokens.empty()) request.tokens = parse_counts("--tokens", tokens);
    }
    write_report(options, command_line(argc, argv), json);
  });
}

}  // namespace headroom
