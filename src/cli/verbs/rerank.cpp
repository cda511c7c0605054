// headroom rerank: passages sorted by how well they answer a query.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/precision.h"
#include "checkpoint/checkpoint.h"
#include "cli/app.h"
#include "cli/engines/engine.h"
#include "cli/engines/native_model.h"
#include "cli/inputs/inputs.h"
#include "cli/inputs/spending.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "data/formats/json_lines.h"
#include "data/input/input_stream.h"
#include "data/input/line_reader.h"
#include "data/sources.h"
#include "engine/answers/answer_json.h"
#include "engine/answers/answer_texts.h"
#include "engine/answers/rank.h"

namespace headroom {
namespace {

struct Passages {
  std::vector<std::string> texts;
  std::vector<Json> ids;  // of JSON lines; null where there is none

  void add(std::string text, Json id = {}) {
    texts.push_back(std::move(text));
    ids.push_back(std::move(id));
  }
};

void read_passages(const TextInput& input, const std::string& data_dir, Passages& passages) {
  if (input.kind == InputKind::rows) {  // a passage is one text
    read_texts(parse_data_spec(input.path), data_dir, Task::classify,
               [&](RawRow& row, const RowOrigin&) { passages.add(std::move(row.text)); });
    return;
  }
  InputStream stream(input.path);
  if (input.kind == InputKind::json_lines) {
    JsonLinesReader reader(stream);
    for (JsonRow row; reader.next(row);) passages.add(row.text, row.id);
    return;
  }
  LineReader reader(stream);
  for (std::string line; reader.next(line);) passages.add(line);
}

}  // namespace

int run_rerank(int argc, char** argv) {
  CLI::App app(
      "Sorts passages, a passage a line or a row of a CSV, by how well they answer a query, best "
      "first. The model is a cross-encoder with one score.",
      "headroom rerank");
  std::string model;
  std::string query;
  TextInputs inputs;
  std::string data_dir = default_data_dir();
  SpendingOptions spending;
  std::optional<Precision> asked;
  size_t top = 0;
  int threads = 0;
  bool raw_scores = false;
  add_text_inputs(app, inputs);
  app.add_option("--model", model, "checkpoint directory")->required();
  app.add_option("--query", query, "what the passages are to answer")->required();
  add_spending(app, spending);
  app.add_option("--top-k,--top", top, "only so many of the best; 0: all");
  app.add_flag("--raw-scores", raw_scores, "the logit instead of its sigmoid");
  add_data_dir(app, data_dir);
  add_precision(app, asked);
  add_threads(app, threads);
  return run_app(app, argc, argv, [&](bool json) {
    check_text_inputs(inputs);
    Passages passages;
    for (const std::string& text : inputs.texts) passages.add(text);
    for (const TextInput& input : inputs.all()) read_passages(input, data_dir, passages);
    const ModelConfig config = read_config(model);
    const Precision precision = asked_precision(model, config, asked);
    const auto engine = EngineModel::load(model, config, {precision, {}});
    Session session(engine, thread_count(threads), find_text_latencies(model, precision));
    const std::vector<std::string_view> texts(passages.texts.begin(), passages.texts.end());
    const std::vector<Answer> answers =
        rank_passages(session, query, texts, asked_spending(config, spending));
    std::vector<size_t> order = ranking(answers);
    if (top > 0) order.resize(std::min(top, order.size()));
    for (const size_t i : order) {
      if (!json) {
        fmt::print("{:.4f}\t{}\n", raw_scores ? answers[i].logit : answers[i].score, texts[i]);
        continue;
      }
      Json line;
      if (!passages.ids[i].is_null()) line["id"] = passages.ids[i];
      line["index"] = i;
      add_answer(config, answers[i], raw_scores, line);
      line["text"] = texts[i];
      line["budget"] = answers[i].budget;
      if (!answers[i].rungs.empty()) line["rungs"] = answers[i].rungs;
      line["tokens"] = answers[i].tokens;
      print_json_line(line);
    }
  });
}

}  // namespace headroom
