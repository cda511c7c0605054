// headroom predict: classifies, tags or scores lines of text, or JSON lines, at a budget; goes on
// with them, or translates them, where the model does that.
#include <fmt/format.h>

#include <filesystem>

#include "base/precision.h"
#include "checkpoint/checkpoint.h"
#include "cli/app.h"
#include "cli/bulk/predict.h"
#include "cli/engines/engine.h"
#include "cli/engines/other_tasks.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "data/input/input_stream.h"
#include "engine/tags/entities.h"

namespace headroom {
namespace {

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

// What text classifiers have for long inputs.
void add_bulk_options(CLI::App& app, BulkRequest& request, std::string& shard,
                      std::string& bad_rows) {
  app.add_option("--out", request.out, "a file for the answers, which --resume can go on with");
  app.add_flag("--resume", request.resume,
               "go on where the file of --out ends; begin where there is none");
  app.add_option("--from-byte", request.from_byte,
                 "leave out this many bytes of the input, uncompressed; a line must begin there")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--shard", shard,
                 "I/N: only the lines that begin in the I-th of N equal parts of a plain file");
  app.add_option("--bad-rows", bad_rows,
                 "a row that cannot be answered: stop, or mark it in the output and go on")
      ->check(CLI::IsMember({"stop", "mark"}));
  app.add_flag(
      "--no-timing", [&](int64_t) { request.form.timing = false; },
      "leave ms and predicted_ms out, so that equal runs write equal bytes");
}

void add_output_options(CLI::App& app, std::string& aggregation, AnswerOptions& options,
                        bool& raw_scores) {
  app.add_flag("--all-tokens", options.token_tags,
               "taggers: the tag and scores of every token too");
  app.add_option("--aggregation", aggregation,
                 "taggers: how the pieces of a word become one tag: simple, first, average, max");
  app.add_flag("--raw-scores", raw_scores, "rankers: the logit instead of its sigmoid");
}

void refuse_bulk_options(const CLI::App& app) {
  for (const char* name :
       {"--out", "--resume", "--from-byte", "--shard", "--bad-rows", "--no-timing"}) {
    if (app.count(name) > 0) {
      throw Error(ErrorCode::usage, "read options",
                  fmt::format("{} is for text classifiers", name));
    }
  }
}

// Told before the model loads. Opening a pipe would take bytes out of it.
void check_files(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (file != "-" && !std::filesystem::is_other(file)) InputStream probe(file);
  }
}

}  // namespace

int run_predict(int argc, char** argv) {
  CLI::App app(
      "Answers texts, a text a line, from files or standard input: a label, several labels, a "
      "score, entities or a vector, as the model does. A language model goes on with them, a "
      "translator translates them; of an image model, FILES are data SPECs.",
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
      "--budget", budget,
      "fraction in (0, 1]; auto: as much as each text needs (see tune); 0: rung zero alone; "
      "adaptive: as many heads as each text asks for");
  app.add_option("--input", format, "text (a text a line) or jsonl (text, optional text_pair, id)")
      ->check(CLI::IsMember({"text", "jsonl"}));
  CLI::Option* latency_option = app.add_option("--latency-ms", latency,
                                               "instead of --budget, or with auto: the largest "
                                               "budget whose p90 on this machine, measured by "
                                               "calibrate, is at most this");
  OtherTaskRequest other;
  std::string data_dir = default_data_dir();
  BulkRequest bulk;
  std::string shard;
  std::string bad_rows = "stop";
  std::string aggregation = "simple";
  add_bulk_options(app, bulk, shard, bad_rows);
  add_output_options(app, aggregation, request.answer, bulk.form.raw_scores);
  add_other_options(app, other);
  add_data_dir(app, data_dir);
  add_engine(app, request.engine);
  add_precision(app, request.precision);
  add_threads(app, request.threads);
  add_device(app, request.device);
  return run_app(app, argc, argv, [&](bool json) {
    request.model = model;
    const ModelConfig config = read_config(model);
    require_task(config.task, request.engine);
    Budget spend = asked_budget(config, budget);
    if (*latency_option) {
      if (*budget_option && !spend.automatic) {
        throw Error(ErrorCode::usage, "read options",
                    "give --budget or --latency-ms, not both, or --budget auto with it");
      }
      if (!(latency > 0)) {
        throw Error(ErrorCode::usage, "read options",
                    fmt::format("--latency-ms {} is not a time above 0", latency));
      }
      spend.latency_ms = latency;
    }
    const Task task = config.task;
    if (!answers_text(task) && traits(task).output != OutputForm::states) {
      if (*latency_option) {
        throw Error(ErrorCode::usage, "read options", "--latency-ms is for text classifiers");
      }
      if (spend.automatic || spend.fraction == 0) {
        throw Error(ErrorCode::usage, "read options",
                    fmt::format("--budget {} is for text classifiers", budget));
      }
      refuse_bulk_options(app);
      other.engine = request;
      other.budget = spend.fraction;
      other.files = files;
      other.jsonl = format == "jsonl";
      other.data_dir = data_dir;
      predict_other_task(task, other, json);
      return;
    }
    request.answer.aggregation = aggregation_table.parse(aggregation);
    if (bulk.form.raw_scores && task != Task::rerank) {
      throw Error(
          ErrorCode::usage, "read options",
          fmt::format("--raw-scores is for rankers, this model is of task {}", task_name(task)));
    }
    bulk.files = files;
    bulk.form.jsonl = format == "jsonl";
    bulk.form.json = json;
    bulk.form.mark_bad = bad_rows == "mark";
    if (!shard.empty()) bulk.shard = parse_shard(shard);
    bulk.job = {{"model", model},
                {"budget", budget},
                {"precision", precision_table.name(request.precision)}};
    if (task == Task::tag) {
      bulk.job["aggregation"] = aggregation;
      bulk.job["all_tokens"] = request.answer.token_tags;
    }
    if (bulk.form.raw_scores) bulk.job["raw_scores"] = true;
    if (spend.latency_ms) bulk.job["latency_ms"] = *spend.latency_ms;
    check_bulk_request(bulk);
    check_files(files);
    predict_bulk(open_text_engine(request, config, spend), config, bulk);
  });
}

}  // namespace headroom
