// headroom import: a Hugging Face folder in, a checkpoint out.
#include <fmt/format.h>

#include "checkpoint/hf/import.h"
#include "cli/app.h"
#include "cli/verb.h"

namespace headroom {
namespace {

void print_report(const ImportReport& report, const std::string& out) {
  const ModelConfig& config = report.config;
  const ModelShape& shape = config.shape;
  fmt::print("{}: {}, {} layers, width {}, {} heads, FFN {}, {} word pieces, {:.1f} M parameters\n",
             out, report.architecture, shape.layers, shape.width, shape.heads, shape.ffn,
             shape.vocabulary, static_cast<double>(report.parameters) / 1e6);
  if (!answers_text(config.task)) {
    fmt::print("a pretrained encoder: headroom train --init {} makes a classifier of it\n", out);
  }
}

Json describe(const ImportReport& report, const std::string& out) {
  return {{"out", out},
          {"architecture", report.architecture},
          {"task", task_name(report.config.task)},
          {"labels", report.config.labels},
          {"vocab_size", report.config.shape.vocabulary},
          {"lower_case", report.config.lower_case},
          {"parameters", report.parameters},
          {"notes", report.notes}};
}

}  // namespace

int run_import(int argc, char** argv) {
  CLI::App app(
      "Turns a Hugging Face folder (a classifier or encoder of one of the families of "
      "docs/models.md) into a checkpoint that every verb runs. Reads safetensors only, never a "
      "pickle.",
      "headroom import");
  std::string from;
  std::string out;
  ImportOptions options;
  app.add_option("--from", from,
                 "folder with config.json, model.safetensors and vocab.txt or tokenizer.json")
      ->required();
  app.add_option("--out", out, "checkpoint directory to write")->required();
  app.add_flag("--follow-links", options.follow_links,
               "read files that are links out of the folder, as in the Hub's cache");
  app.add_option("--labels", options.labels,
                 "names for the classifier's labels in the place of the folder's, in their order")
      ->delimiter(',');
  return run_app(app, argc, argv, [&](bool json) {
    const ImportReport report = import_hf_folder(from, out, options);
    for (const std::string& note : report.notes) fmt::print(stderr, "note: {}\n", note);
    if (json) {
      print_json_line(describe(report, out));
    } else {
      print_report(report, out);
    }
  });
}

}  // namespace headroom
