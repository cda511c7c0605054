// What --budget auto gives: accuracy and measured time of policies that were fitted to a training
// set's validation rows, on test rows; how often its promise breaks on fresh rows; calibration
// error of every budget.
//   bench-cascade MODEL FILE         one model, into a file of JSON
//   bench-cascade --summary DIR OUT  all such files of a folder, as cascade.md, .json and pictures
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/files/file.h"
#include "bench_program.h"
#include "cascade/measure.h"
#include "cascade/summary.h"

int main(int argc, char** argv) {
  headroom::CascadeOptions options;
  bool summary = false;
  CLI::App app("What --budget auto gives.", "bench-cascade");
  app.add_option("MODEL", options.model, "a checkpoint; with --summary a folder of runs")
      ->required();
  app.add_option("OUT", options.out, "a file to write; with --summary a folder")->required();
  app.add_flag("--summary", summary, "the page of several runs");
  app.add_option("--base", options.base, "what runs of several seeds have in common");
  app.add_option("--commit", options.commit, "told in the results");
  app.add_option("--note", options.note, "likewise, a sentence");
  app.add_option("--data", options.data, "what the model was trained on");
  app.add_option("--test", options.test, "default: the set's test part");
  app.add_option("--data-dir", options.data_dir)->envname("HEADROOM_DATA");
  app.add_option("--precision", options.precision);
  app.add_option("--peers", options.peers,
                 "time ONNX Runtime, which scripts/install-peers put there, and fastText");
  app.add_option("--validation-rows", options.validation_rows, "default: as train sets aside");
  app.add_option("--seed", options.seed, "that the model was trained with");
  app.add_option("--mean-budgets", options.mean_budgets)->delimiter(',');
  app.add_option("--threads", options.threads, "that score rows; what is timed has one");
  app.add_option("--texts", options.timed_texts, "timed, at most");
  app.add_option("--seconds", options.seconds, "that timing may take, about");
  app.add_option("--rounds", options.rounds);
  app.add_option("--splits", options.splits, "that the promise is tried on");
  CLI11_PARSE(app, argc, argv);
  return headroom::run_program("bench-cascade", [&] {
    if (summary) {
      fmt::print("{}", headroom::write_summary(options.model, options.out));
    } else {
      const headroom::Json run = headroom::measure_cascade(options);
      headroom::write_file_atomically(options.out, run.dump(1) + "\n");
    }
    return 0;
  });
}
