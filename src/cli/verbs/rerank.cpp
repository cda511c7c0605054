// headroom rerank: passages sorted by how well they answer a query.
#include <fmt/format.h>

#include <algorithm>

#include "base/precision.h"
#include "checkpoint/checkpoint.h"
#include "cli/app.h"
#include "cli/engines/engine.h"
#include "cli/engines/native_model.h"
#include "cli/options.h"
#include "cli/spending.h"
#include "cli/verb.h"
#include "data/formats/json_lines.h"
#include "data/input/input_stream.h"
#include "data/input/line_reader.h"
#include "engine/answers/answer_json.h"
#include "engine/answers/answer_texts.h"
#include "engine/answers/rank.h"

namespace headroom {
namespace {

struct Passages {
  std::vector<std::string> texts;
  std::vector<Json> ids;  // of JSON lines; null where there is none
};

void read_passages(const std::string& file, bool jsonl, Passages& passages) {
  InputStream input(file);
  if (jsonl) {
    JsonLinesReader reader(input);
    for (JsonRow row; reader.next(row);) {
      passages.texts.push_back(row.text);
      passages.ids.push_back(row.id);
    }
    return;
  }
  LineReader reader(input);
  for (std::string line; reader.next(line);) {
    passages.texts.push_back(line);
    passages.ids.emplace_back();
  }
}

}  // namespace

int run_rerank(int argc, char** argv) {
  CLI::App app(
      "Sorts passages, one a line, by how well they answer a query, best first. The model is a "
      "cross-encoder with one score.",
      "headroom rerank");
  std::string model;
  std::string query;
  std::string input = "text";
  std::vector<std::string> files = {"-"};
  SpendingOptions spending;
  std::optional<Precision> asked;
  size_t top = 0;
  int threads = 0;
  bool raw_scores = false;
  app.add_option("FILES", files, "files of passages; - is standard input");
  app.add_option("--model", model, "checkpoint directory")->required();
  app.add_option("--query", query, "what the passages are to answer")->required();
  add_spending(app, spending);
  app.add_option("--input", input, "text (a passage a line) or jsonl (text, optional id)")
      ->check(CLI::IsMember({"text", "jsonl"}));
  app.add_option("--top-k,--top", top, "only so many of the best; 0: all");
  app.add_flag("--raw-scores", raw_scores, "the logit instead of its sigmoid");
  add_precision(app, asked);
  add_threads(app, threads);
  return run_app(app, argc, argv, [&](bool json) {
    Passages passages;
    for (const std::string& file : files) read_passages(file, input == "jsonl", passages);
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
      line["tokens"] = answers[i].tokens;
      print_json_line(line);
    }
  });
}

}  // namespace headroom
