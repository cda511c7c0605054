// headroom pretrain: plain text in, an encoder out that training starts from.
#include <fmt/format.h>

#include "cli/app.h"
#include "cli/options.h"
#include "cli/training/parallel.h"
#include "cli/verb.h"
#include "train/pretraining/pretrain_model.h"

namespace headroom {
namespace {

bool detects(const PretrainRequest& request) {
  return request.objective == PretrainObjective::replaced;
}

Json report_json(const PretrainReport& report, const PretrainRequest& request) {
  Json line = {{"documents", report.documents},
               {"text_tokens", report.text_tokens},
               {"steps", report.steps},
               {"tokens_seen", report.tokens_seen},
               {"tokens_per_second", report.tokens_per_second}};
  if (detects(request)) {
    line["replaced_found"] = report.found;
    line["replaced_precision"] = report.precision;
    line["detection_loss"] = report.detection_loss;
    line["generator_accuracy"] = report.accuracy;
  } else {
    line["masked_accuracy"] = report.accuracy;
  }
  if (request.order_weight > 0) line["order_accuracy"] = report.order_accuracy;
  line["parameters"] = report.parameters;
  return line;
}

void print_report(const PretrainReport& report, const PretrainRequest& request, bool json) {
  if (json) {
    print_json_line(report_json(report, request));
    return;
  }
  std::string quality =
      detects(request)
          ? fmt::format(
                "{:.1f} % of replaced tokens found, {:.1f} % of those called replaced were; "
                "generator: {:.1f} % of hidden tokens predicted right",
                100 * report.found, 100 * report.precision, 100 * report.accuracy)
          : fmt::format("{:.1f} % of hidden tokens predicted right", 100 * report.accuracy);
  if (request.order_weight > 0) {
    quality += fmt::format("; order of {:.1f} % of segments told", 100 * report.order_accuracy);
  }
  fmt::print(
      "{} steps over {:.1f} M tokens ({:.1f} M of text), {:.0f} tokens/s; {}; {} parameters; "
      "checkpoint: {}\n",
      report.steps, report.tokens_seen / 1e6, static_cast<double>(report.text_tokens) / 1e6,
      report.tokens_per_second, quality, report.parameters, request.out.string());
}

void add_model_options(CLI::App& app, PretrainRequest& request, std::string& attention) {
  ModelShape& shape = request.shape;
  add_attention(app, attention);
  app.add_option("--layers", shape.layers, "layers")->check(CLI::Range(1, 128));
  app.add_option("--width", shape.width, "width, a multiple of --heads")
      ->check(CLI::Range(1, 65536));
  app.add_option("--heads", shape.heads, "attention heads per layer")->check(CLI::Range(1, 1024));
  app.add_option("--ffn", shape.ffn, "FFN width")->check(CLI::Range(1, 1 << 20));
  app.add_option("--max-tokens", request.row_tokens, "length of the rows that text is cut into")
      ->check(CLI::Range(8, 4096));
}

void add_training_options(CLI::App& app, PretrainRequest& request) {
  app.add_option("--steps", request.steps, "how long: optimiser steps")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--minutes", request.minutes, "how long: minutes; the rate decays with the clock")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--batch", request.batch_rows, "rows a step")->check(CLI::Range(1, 65536));
  app.add_option("--lr", request.rate, "peak learning rate; 0: chosen from the shape")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--warmup", request.warmup,
                 "steps until that rate; 0: 1000, or half of a shorter run")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--dropout", request.dropout, "dropout")->check(CLI::Range(0.0, 0.99));
  app.add_option("--weight-decay", request.weight_decay, "on matrices")
      ->check(CLI::Range(0.0, 10.0));
  app.add_option("--generator-share", request.generator_share,
                 "replaced: heads and FFN of the generator, as a share of the encoder's")
      ->check(CLI::Range(0.01, 1.0));
  app.add_option("--nested-share", request.nested_share,
                 "share of the steps that run at a random budget")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--mask", request.mask_share, "share of tokens hidden")
      ->check(CLI::Range(0.01, 0.9));
  app.add_option("--mask-end", request.mask_share_at_end,
                 "share hidden at the end, linear between; 0: as --mask")
      ->check(CLI::Range(0.0, 0.9));
  app.add_option("--short-share", request.short_share,
                 "first share of the run in rows of --short-tokens, as many tokens a step")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--short-tokens", request.short_tokens, "length of those rows")
      ->check(CLI::Range(8, 4096));
  app.add_option("--sentence-order", request.order_weight,
                 "weight of telling which half of a row came first; 0: not asked")
      ->check(CLI::Range(0.0, 100.0));
  app.add_option("--validation-rows", request.validation_rows, "rows set aside, at most a tenth")
      ->check(CLI::PositiveNumber);
  app.add_option("--validate-every", request.validate_every, "steps")->check(CLI::PositiveNumber);
}

}  // namespace

int run_pretrain(int argc, char** argv) {
  CLI::App app(
      "Pretrains an encoder on plain text (hidden or replaced tokens); `train --init` goes on.",
      "headroom pretrain");
  PretrainRequest request;
  ParallelOptions parallel;
  std::string init;
  std::string vocabulary;
  std::string out;
  std::string weights = "bf16";
  std::string attention = "standard";
  std::string objective = "masked";
  std::string data_dir = default_data_dir();
  app.add_option("--text", request.text,
                 "files of plain text (documents separated by blank lines), or data SPECs")
      ->required();
  add_data_dir(app, data_dir);
  auto* start = app.add_option("--init", init,
                               "pretrained checkpoint to go on from: its weights, shape and "
                               "vocabulary, a fresh optimiser");
  app.add_option("--vocab", vocabulary, "vocab.txt to use; without it one is trained on the text");
  app.add_option("--vocab-size", request.vocabulary_size, "word pieces to train")
      ->check(CLI::Range(100, 1000000));
  app.add_flag("--cased{false}", request.lower_case, "keep capitals and accents");
  add_model_options(app, request, attention);
  for (const char* decided : {"--vocab", "--vocab-size", "--cased", "--attention", "--layers",
                              "--width", "--heads", "--ffn"}) {
    app.get_option(decided)->excludes(start);
  }
  app.add_option("--objective", objective,
                 "predict hidden tokens (masked) or find replaced ones (replaced)")
      ->type_name(choice_type(pretrain_objective_table));
  add_training_options(app, request);
  add_max_memory(app, request.max_memory,
                 "that the text's tokens may take, such as 2G; 0: what the machine has left");
  app.add_option("--out", out, "checkpoint directory to write")->required();
  app.add_option("--weights", weights, "how weights are stored")
      ->type_name(choice_type({"fp32", "bf16"}));
  app.add_flag("--resume", request.resume, "go on with the unfinished run beside --out");
  app.add_flag("--restart", request.restart,
               "begin anew: discard the unfinished run beside --out, replace the model there");
  app.add_option("--save-seconds", request.save_seconds, "between saved states")
      ->check(CLI::NonNegativeNumber);
  add_seed(app, request.seed);
  add_threads(app, request.threads);
  add_device(app, request.device);
  add_parallel(app, parallel);
  add_config_option(app);
  return run_app(app, argc, argv, [&](bool json) {
    require_supported("--weights", weights, {"fp32", "bf16"});
    request.bf16_weights = weights == "bf16";
    request.objective = pretrain_objective_table.parse(objective);
    request.shape.attention = parse_attention(attention);
    request.init = init;
    request.vocabulary = vocabulary;
    require_new_output(out, request.resume, request.restart);
    request.out = out;
    request.data_dir = data_dir;
    if (run_copies(parallel, argc, argv)) return;
    request.parallel = parallel.settings;
    const PretrainReport report = pretrain_model(request, *rank_progress(parallel));
    if (parallel.settings.world.rank == 0) print_report(report, request, json);
  });
}

}  // namespace headroom
