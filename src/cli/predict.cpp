// headroom predict: classifies lines of text, or JSON lines, at a budget; goes on with them, or
// translates them, where the model does that.
#include <fmt/format.h>

#include <filesystem>

#include "base/interrupt.h"
#include "checkpoint/checkpoint.h"
#include "cli/app.h"
#include "cli/engine.h"
#include "cli/options.h"
#include "cli/other_tasks.h"
#include "cli/verb.h"
#include "data/input_stream.h"
#include "data/json_lines.h"
#include "data/line_reader.h"

namespace headroom {
namespace {

void print_answer(const std::vector<std::string>& labels, const Classification& answer,
                  const Json& id, bool json) {
  const auto best = static_cast<size_t>(answer.label);
  if (!json) {
    fmt::print("{}\t{:.4f}\n", labels[best], answer.scores[best]);
    return;
  }
  Json line;
  if (!id.is_null()) line["id"] = id;
  line["label"] = labels[best];
  line["scores"] = Json::object();
  for (size_t i = 0; i < labels.size(); ++i) line["scores"][labels[i]] = answer.scores[i];
  line["budget"] = answer.budget;
  line["active_heads"] = answer.active_heads;
  line["tokens"] = answer.tokens;
  if (answer.predicted_ms) line["predicted_ms"] = *answer.predicted_ms;
  line["ms"] = answer.milliseconds;
  print_json_line(line);
}

// A line of a model that reads pairs: both texts with a tab between them.
ClassifyInput split_pair(const std::string& line, const InputStream& input, int64_t number) {
  const size_t tab = line.find('\t');
  if (tab == std::string::npos) {
    input.fail(
        fmt::format("line {} has no tab, but this model reads two texts a line, separated by "
                    "one; --input jsonl takes text and text_pair",
                    number));
  }
  return {line.substr(0, tab), line.substr(tab + 1), true};
}

void predict_file(Classifier& classifier, const std::string& path, bool jsonl, bool json) {
  InputStream input(path);
  const auto classify = [&](const ClassifyInput& row, const Json& id, int64_t line) {
    if (interrupt_requested()) throw Error(ErrorCode::interrupted, "predict", "stopped");
    try {
      print_answer(classifier.config().labels, classifier.classify(row), id, json);
      std::fflush(stdout);  // whoever feeds us line by line waits for the answer
    } catch (const Error& error) {
      throw Error(error.code(), "predict",
                  fmt::format("{} line {}: {}", input.name(), line, error.what()));
    }
  };
  if (jsonl) {
    JsonLinesReader reader(input);
    for (JsonRow row; reader.next(row);) {
      classify({row.text, row.text_pair.value_or(""), row.text_pair.has_value()}, row.id,
               reader.line());
    }
  } else {
    LineReader reader(input);
    const bool pairs = classifier.config().task == Task::pair;
    for (std::string line; reader.next(line);) {
      classify(
          pairs ? split_pair(line, input, reader.line_number()) : ClassifyInput{line, "", false},
          nullptr, reader.line_number());
    }
  }
}

void add_other_options(CLI::App& app, OtherTaskRequest& request) {
  app.add_option("--max-new-tokens", request.max_new_tokens, "language models: how far to go on")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--temperature", request.temperature,
                 "language models: 0 always takes the likeliest token")
      ->check(CLI::Range(0.0, 100.0));
  app.add_option("--top-k", request.top_k,
                 "language models: draw from this many likeliest tokens; 0: from all")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--beam", request.beam, "translators: beginnings kept; 1: greedy")
      ->check(CLI::Range(1, 64));
  add_seed(app, request.seed);
}

}  // namespace

int run_predict(int argc, char** argv) {
  CLI::App app(
      "Classifies texts, a text a line, from files or standard input. A language model goes on "
      "with "
      "them, a translator translates them; of an image model, FILES are data SPECs.",
      "headroom predict");
  std::string model;
  std::string budget = "1";
  std::string format = "text";
  EngineRequest request;
  double latency = 0;
  std::vector<std::string> files = {"-"};
  app.add_option("FILES", files, "files of texts; - is standard input");
  app.add_option("--model", model, "checkpoint directory")->required();
  CLI::Option* budget_option = app.add_option(
      "--budget", budget, "fraction in (0, 1], or adaptive: as many heads as each text asks for");
  app.add_option("--input", format, "text (a text a line) or jsonl (text, optional text_pair, id)")
      ->check(CLI::IsMember({"text", "jsonl"}));
  CLI::Option* latency_option = app.add_option(
      "--latency-ms", latency,
      "instead of --budget: the largest budget whose p90 on this machine, measured by "
      "calibrate, is at most this");
  OtherTaskRequest other;
  std::string data_dir = default_data_dir();
  add_other_options(app, other);
  add_data_dir(app, data_dir);
  add_engine(app, request.precision);
  add_threads(app, request.threads);
  add_device(app, request.device);
  return run_app(app, argc, argv, [&](bool json) {
    SpendRequest spend;
    spend.budget = asked_budget(model, budget);
    if (*latency_option) {
      if (*budget_option) {
        throw Error(ErrorCode::usage, "read options", "give --budget or --latency-ms, not both");
      }
      if (!(latency > 0)) {
        throw Error(ErrorCode::usage, "read options",
                    fmt::format("--latency-ms {} is not a time above 0", latency));
      }
      spend.latency_ms = latency;
    }
    request.model = model;
    const Task task = read_config(model).task;
    if (!classifies_text(task) && task != Task::masked_lm && task != Task::encoder) {
      if (*latency_option) {
        throw Error(ErrorCode::usage, "read options", "--latency-ms is for text classifiers");
      }
      other.engine = request;
      other.budget = spend.budget;
      other.files = files;
      other.jsonl = format == "jsonl";
      other.data_dir = data_dir;
      predict_other_task(task, other, json);
      return;
    }
    for (const std::string& file : files) {
      if (file != "-") InputStream probe(file);  // a missing file is told before the model loads
    }
    const auto classifier = make_classifier(request, spend);
    for (const std::string& file : files) {
      predict_file(*classifier, file, format == "jsonl", json);
    }
  });
}

}  // namespace headroom
