// headroom predict: classifies lines of text, or JSON lines, at a budget.
#include <fmt/format.h>

#include <filesystem>

#include "base/interrupt.h"
#include "budget/fraction.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "data/input_stream.h"
#include "data/json_lines.h"
#include "data/line_reader.h"
#include "train/predictor.h"

namespace headroom {
namespace {

void print_prediction(const Predictor& predictor, const Prediction& prediction, const Json& id,
                      bool json) {
  const std::vector<std::string>& labels = predictor.config().labels;
  const auto best = static_cast<size_t>(prediction.label);
  if (!json) {
    fmt::print("{}\t{:.4f}\n", labels[best], prediction.scores[best]);
    return;
  }
  Json line;
  if (!id.is_null()) line["id"] = id;
  line["label"] = labels[best];
  line["scores"] = Json::object();
  for (size_t i = 0; i < labels.size(); ++i) line["scores"][labels[i]] = prediction.scores[i];
  line["budget"] = predictor.budget();
  line["active_heads"] = predictor.active_heads();
  line["tokens"] = prediction.tokens;
  line["ms"] = prediction.milliseconds;
  print_json_line(line);
}

void predict_file(const Predictor& predictor, const std::string& path, bool jsonl, bool json) {
  InputStream input(path);
  const auto classify = [&](const PredictInput& row, const Json& id, int64_t line) {
    if (interrupt_requested()) throw Error(ErrorCode::interrupted, "predict", "stopped");
    try {
      print_prediction(predictor, predictor.predict(row), id, json);
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
  std::string precision = "fp32";
  std::string device = "cpu";
  int threads = 0;
  double latency = 0;
  std::vector<std::string> files = {"-"};
  app.add_option("FILES", files, "files of texts; - is standard input");
  app.add_option("--model", model, "checkpoint directory")->required();
  app.add_option("--budget", budget, "fraction in (0, 1]");
  app.add_option("--input", format, "text (a text a line) or jsonl (text, optional text_pair, id)")
      ->check(CLI::IsMember({"text", "jsonl"}));
  CLI::Option* latency_option =
      app.add_option("--latency-ms", latency, "not in this version: give --budget");
  app.add_option("--precision", precision, "fp32");
  add_threads(app, threads);
  add_device(app, device);
  return run_app(app, argc, argv, [&](bool json) {
    require_supported("--precision", precision, {"fp32"});
    if (*latency_option) {
      throw Error(ErrorCode::usage, "read options", "--latency-ms is not supported; give --budget");
    }
    for (const std::string& file : files) {
      if (file != "-") InputStream probe(file);  // a missing file is told before the model loads
    }
    const Predictor predictor(model, parse_budget(budget), threads, device);
    for (const std::string& file : files) predict_file(predictor, file, format == "jsonl", json);
  });
}

}  // namespace headroom
