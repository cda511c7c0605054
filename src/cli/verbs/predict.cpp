// headroom predict: classifies, tags or scores lines of text, or JSON lines, at a budget; goes on
// with them, or translates them, where the model does that.
#include <fmt/format.h>

#include "base/precision.h"
#include "budget/fraction.h"
#include "checkpoint/checkpoint.h"
#include "cli/app.h"
#include "cli/bulk/predict.h"
#include "cli/engines/engine.h"
#include "cli/engines/other_tasks.h"
#include "cli/inputs/inputs.h"
#include "cli/inputs/spending.h"
#include "cli/options.h"
#include "cli/verb.h"
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
                 "labels: only so many, best first; language models: draw from this many likeliest "
                 "tokens; 0: the label, or all of them")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--beam", request.beam, "translators: beginnings kept; 1: greedy")
      ->check(CLI::Range(1, 64));
  add_seed(app, request.seed);
}

// What text classifiers have for long inputs.
void add_bulk_options(CLI::App& app, BulkRequest& request, std::string& shard,
                      std::string& bad_rows) {
  app.add_option("--out", request.out, "a file for the answers, which --resume can go on with");
  app.add_option("--out-dir", request.out_dir,
                 "a folder that all shards' answers go to, for headroom collect; the same command "
                 "goes on with what is there");
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
                 "taggers: how the pieces of a word become one tag: simple, first, average, max")
      ->type_name(choice_type(aggregation_table));
  app.add_flag("--raw-scores", raw_scores, "rankers: the logit instead of its sigmoid");
}

void refuse_bulk_options(const CLI::App& app) {
  for (const char* name :
       {"--out", "--out-dir", "--resume", "--from-byte", "--shard", "--bad-rows", "--no-timing"}) {
    if (app.count(name) > 0) {
      throw Error(ErrorCode::usage, "read options",
                  fmt::format("{} is for text classifiers", name));
    }
  }
}

// Language models, translators and image models: at a flat budget, one text or image at a time.
OtherTaskRequest other_request(const CLI::App& app, OtherTaskRequest request, const Budget& budget,
                               const TextInputs& inputs) {
  refuse_bulk_options(app);
  if (budget.latency_ms || budget.automatic || budget.fraction == 0) {
    throw Error(ErrorCode::usage, "read options",
                budget.latency_ms
                    ? "--latency-ms is for text classifiers"
                    : fmt::format("--budget {} is for text classifiers", spending_name(budget)));
  }
  request.budget = budget.fraction;
  request.files = inputs.files;
  request.texts = inputs.texts;
  request.jsonl = inputs.format == "jsonl";
  return request;
}

void check_output_options(const ModelConfig& config, const TextForm& form) {
  const OutputForm output = traits(config.task).output;
  if (form.raw_scores && config.task != Task::rerank) {
    throw Error(ErrorCode::usage, "read options",
                fmt::format("--raw-scores is for rankers, this model is of task {}",
                            task_name(config.task)));
  }
  if (form.top_k > 0 && output != OutputForm::label && output != OutputForm::labels) {
    throw Error(ErrorCode::usage, "read options",
                fmt::format("--top-k is for models with labels, this one is of task {}",
                            task_name(config.task)));
  }
}

}  // namespace

int run_predict(int argc, char** argv) {
  CLI::App app(
      "Answers texts, a text a line or a row of a CSV, from files or standard input: a label, "
      "several labels, a score, entities or a vector, as the model does. A language model goes on "
      "with them, a translator translates them; of an image model, FILES are data SPECs.",
      "headroom predict");
  std::string model;
  EngineRequest request;
  std::optional<Precision> precision;
  TextInputs inputs;
  SpendingOptions spending;
  add_text_inputs(app, inputs);
  app.add_option("--model", model, "checkpoint directory")->required();
  add_spending(app, spending);
  OtherTaskRequest other;
  std::string data_dir = default_data_dir();
  BulkRequest bulk;
  std::string shard;
  std::string bad_rows = "stop";
  std::string aggregation = "simple";
  add_output_options(app, aggregation, request.answer, bulk.form.text.raw_scores);
  add_bulk_options(app, bulk, shard, bad_rows);
  add_other_options(app, other);
  add_data_dir(app, data_dir);
  add_engine(app, request.engine);
  add_precision(app, precision);
  add_threads(app, request.threads);
  add_device(app, request.device);
  add_packed_cache(app, request.packed_cache);
  group_options(app, "Texts", {"FILES", "--text", "--input", "--data-dir"});
  group_options(app, "Model",
                {"--model", "--budget", "--latency-ms", "--precision", "--threads", "--engine",
                 "--device", "--packed-cache"});
  group_options(app, "Answers",
                {"--top-k", "--no-timing", "--all-tokens", "--aggregation", "--raw-scores"});
  group_options(app, "Long runs",
                {"--out", "--out-dir", "--resume", "--from-byte", "--shard", "--bad-rows"});
  group_options(app, "Language models, translators",
                {"--max-new-tokens", "--temperature", "--beam", "--seed"});
  return run_app(app, argc, argv, [&](bool json) {
    request.model = model;
    const ModelConfig config = read_config(model);
    require_task(config.task, request.engine);
    check_text_inputs(inputs);
    const Budget budget = asked_spending(config, spending);
    const Task task = config.task;
    if (!answers_text(task) && traits(task).output != OutputForm::states) {
      request.precision = precision.value_or(Precision::fp32);
      other.engine = request;
      other.data_dir = data_dir;
      predict_other_task(task, other_request(app, other, budget, inputs), json);
      return;
    }
    request.precision = asked_precision(model, config, precision);
    request.answer.aggregation = aggregation_table.parse(aggregation);
    bulk.form.text.top_k = static_cast<size_t>(other.top_k);
    bulk.form.text.token_tags = request.answer.token_tags;
    check_output_options(config, bulk.form.text);
    bulk.inputs = inputs;
    bulk.data_dir = data_dir;
    bulk.form.json = json;
    bulk.form.mark_bad = bad_rows == "mark";
    if (!shard.empty()) bulk.shard = parse_shard(shard);
    bulk.job = {{"model", model},
                {"budget", spending.budget},
                {"precision", precision_table.name(request.precision)}};
    if (!bulk.out_dir.empty() && config.weights_checksum) {
      bulk.job["weights"] = checksum_text(*config.weights_checksum);
    }
    if (task == Task::tag) {
      bulk.job["aggregation"] = aggregation;
      bulk.job["all_tokens"] = request.answer.token_tags;
    }
    if (bulk.form.text.raw_scores) bulk.job["raw_scores"] = true;
    if (bulk.form.text.top_k > 0) bulk.job["top_k"] = bulk.form.text.top_k;
    if (budget.latency_ms) bulk.job["latency_ms"] = *budget.latency_ms;
    check_bulk_request(bulk);
    predict_bulk(open_text_engine(request, config, budget), config, bulk);
  });
}

}  // namespace headroom
