// headroom predict: classifies lines of text, or JSON lines, at a budget.
#include <fmt/format.h>

#include <filesystem>

#include "base/interrupt.h"
#include "cli/app.h"
#include "cli/engine.h"
#include "cli/options.h"
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
    for (std::string line; reader.next(line);)
      classify({line, "", false}, nullptr, reader.line_number());
  }
}

}  // namespace

int run_predict(int argc, char** argv) {
  CLI::App app("Classifies texts, a text a line, from files or standard input.",
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
    for (const std::string& file : files) {
      if (file != "-") InputStream probe(file);  // a missing file is told before the model loads
    }
    request.model = model;
    const auto classifier = make_classifier(request, spend);
    for (const std::string& file : files) {
      predict_file(*classifier, file, format == "jsonl", json);
    }
  });
}

}  // namespace headroom
