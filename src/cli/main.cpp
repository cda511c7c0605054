// `headroom`: verbs that need no libtorch run here; the others are started from headroom-train
// (cli/training/training_program.h). A program linked to libtorch takes half a second and 164 MB to
// start.
#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "base/version.h"
#include "cli/app.h"
#include "cli/engines/engine.h"
#include "cli/training/training_program.h"
#include "cli/verb.h"

namespace headroom {
namespace {

// Run here by the native engine, or in headroom-train when libtorch is asked for.
constexpr Verb engine_verbs[] = {
    {"eval", "accuracy and cost at each budget", run_eval},
    {"predict", "label, tag or score lines of text or JSON lines", run_predict},
    {"bench", "latency and throughput at each budget", run_bench},
};

constexpr Verb native_verbs[] = {
    {"inspect", "what a checkpoint holds: config, parameters, order, cost at each budget",
     run_inspect},
    {"embed", "vectors of lines of text or JSON lines", run_embed},
    {"collect", "check the shards of predict --out-dir, nothing missing or doubled, and join them",
     run_collect},
    {"rerank", "sort passages by how well they answer a query", run_rerank},
    {"calibrate", "measure this machine's latency table into the checkpoint", run_calibrate},
    {"plan", "cores, hours and cost of so many documents at each budget", run_plan},
    {"tune", "fit temperatures and the ladder of --budget auto, and prove what it promises",
     run_tune},
    {"serve", "answer over HTTP, with a page; lowers budgets under load", run_serve},
    {"key", "make a key for a client of serve", run_key},
    {"import", "turn a Hugging Face encoder, of ten families, into a checkpoint", run_import},
    {"export", "write a checkpoint at one budget as ONNX or as a Hugging Face folder", run_export},
    {"report", "one HTML file with plots, from a model and data or from results", run_report},
    {"tokenize", "what a model's tokenizer makes of lines of text", run_tokenize},
    {"data", "list known data sets, check files", run_data},
};

// A verb as the help lists it; those of training run in another program.
struct VerbLine {
  std::string_view name;
  std::string_view summary;
};

constexpr VerbLine training_verbs[] = {
    {"train", "train or fine-tune a model; all stages of the chosen method"},
    {"elastic", "give a dense model budgets, from texts without labels"},
    {"pretrain", "pretrain an encoder on plain text (hidden or replaced tokens)"},
    {"reproduce", "run a published experiment with all its arms and seeds"},
};

constexpr std::string_view program_summary = "one transformer checkpoint, any compute budget";

// Name and summary of every verb, in the order of the reference.
std::vector<VerbLine> all_verbs() {
  std::vector<VerbLine> verbs(std::begin(training_verbs), std::end(training_verbs));
  for (const Verb& verb : engine_verbs) verbs.push_back({verb.name, verb.summary});
  for (const Verb& verb : native_verbs) verbs.push_back({verb.name, verb.summary});
  return verbs;
}

// The help's headings. A verb stands under one of them (tests/cli tries all).
struct VerbGroup {
  std::string_view title;
  std::vector<std::string_view> verbs;
};

const std::vector<VerbGroup>& verb_groups() {
  static const std::vector<VerbGroup> groups = {
      {"Use a model", {"predict", "embed", "rerank", "collect"}},
      {"Serve it", {"serve", "key"}},
      {"Train one", {"train", "elastic", "pretrain", "tune"}},
      {"Convert and look inside", {"import", "export", "inspect", "tokenize", "data"}},
      {"Measure and plan", {"eval", "bench", "calibrate", "plan", "report", "reproduce"}},
  };
  return groups;
}

void print_help(FILE* stream) {
  fmt::print(stream,
             "headroom {}: {}\n\n"
             "usage: headroom VERB [options]    (headroom VERB --help tells the options)\n\n",
             version(), program_summary);
  const std::vector<VerbLine> verbs = all_verbs();
  for (const VerbGroup& group : verb_groups()) {
    fmt::print(stream, "{}:\n", group.title);
    for (const std::string_view name : group.verbs) {
      for (const VerbLine& verb : verbs) {
        if (verb.name == name) fmt::print(stream, "  {:<10} {}\n", name, verb.summary);
      }
    }
    fmt::print(stream, "\n");
  }
  fmt::print(stream,
             "For example:\n"
             "  headroom train --data train.csv --init models/base-mini-free --out my-model\n"
             "  headroom predict --model my-model --budget 0.25 --text \"Where is my parcel\"\n\n"
             "Documentation: docs/README.md of the source; man headroom, man headroom-VERB.\n");
}

// What cli/reference/reference.h reads; each verb has a --help-json of its own.
void print_help_json() {
  Json verbs = Json::array();
  for (const VerbLine& verb : all_verbs()) {
    verbs.push_back({{"name", verb.name}, {"summary", verb.summary}});
  }
  print_json_line({{"version", version()}, {"summary", program_summary}, {"verbs", verbs}});
}

// The value of "--name value" or "--name=value", otherwise of the environment twin. What is wrong
// with the command line is told when it is parsed.
std::string_view peek_option(int argc, char** argv, std::string_view name, const char* twin) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == name && i + 1 < argc) return argv[i + 1];
    if (word.starts_with(name) && word.substr(name.size()).starts_with('=')) {
      return word.substr(name.size() + 1);
    }
  }
  const char* value = getenv(twin);
  return value != nullptr ? value : "";
}

bool wants_torch(int argc, char** argv) {
  const std::string_view engine = peek_option(argc, argv, "--engine", "HEADROOM_ENGINE");
  if (!engine.empty()) return engine == "torch";
  return peek_option(argc, argv, "--device", "HEADROOM_DEVICE") == "cuda";
}

int run(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--version") {
    fmt::print("headroom {}\n", version());
    return 0;
  }
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(stdout);
    return 0;
  }
  if (name == "--help-json") {
    print_help_json();
    return 0;
  }
  for (const Verb& verb : native_verbs) {
    if (verb.name == name) return verb.run(argc - 1, argv + 1);
  }
  for (const Verb& verb : engine_verbs) {
    if (verb.name != name) continue;
    if (wants_torch(argc, argv)) return start_training_program({argv + 1, argv + argc});
    try {
      return verb.run(argc - 1, argv + 1);
    } catch (const NeedsTraining&) {
      return start_training_program({argv + 1, argv + argc});
    }
  }
  for (const VerbLine& verb : training_verbs) {
    if (verb.name == name) return start_training_program({argv + 1, argv + argc});
  }
  if (name.empty()) {
    print_help(stderr);
  } else {
    std::vector<std::string> names;
    for (const VerbLine& verb : all_verbs()) names.emplace_back(verb.name);
    return report_error(Error(ErrorCode::usage, "choose verb",
                              fmt::format("\"{}\" is not a verb{}. headroom --help lists them",
                                          name, did_you_mean(name, names))),
                        json_requested(argc, argv));
  }
  return 2;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  return headroom::run(argc, argv);
}
