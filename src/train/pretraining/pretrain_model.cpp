#include "train/pretraining/pretrain_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/error.h"
#include "base/files/file.h"
#include "base/join.h"
#include "base/measure/machine.h"
#include "base/random.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/tensors/checksum.h"
#include "data/formats/documents.h"
#include "model/weights_io.h"
#include "text/wordpiece/wordpiece_tokenizer.h"
#include "text/wordpiece/wordpiece_trainer.h"
#include "train/checkpoint_model.h"
#include "train/loop/trainer.h"
#include "train/loop/training_output.h"
#include "train/pretraining/masked_lm.h"
#include "train/pretraining/packed_source.h"
#include "train/pretraining/pretrain_recipe.h"
#include "train/pretraining/replaced_tokens.h"
#include "train/recipe.h"
#include "train/runtime.h"

namespace headroom {
namespace {

constexpr uint64_t order_key = 0x6f72646572;

Vocabulary vocabulary_for(const PretrainRequest& request) {
  if (!request.init.empty()) return read_vocabulary(request.init, read_config(request.init));
  if (!request.vocabulary.empty()) {
    return Vocabulary::from_text(read_file(request.vocabulary, ErrorCode::bad_model),
                                 request.vocabulary.string());
  }
  WordPieceTrainer trainer(request.lower_case);
  read_documents(request.text, request.data_dir,
                 [&](const std::string& document) { trainer.add(document); });
  return trainer.train(request.vocabulary_size);
}

struct Corpus {
  Vocabulary vocabulary;
  int64_t documents = 0;
  PackedRows train;
  PackedRows validation;
};

// Rows set aside are drawn from all over the text.
void set_aside(Corpus& corpus, int64_t wanted, uint64_t seed) {
  const int64_t rows = corpus.train.size();
  const auto T = corpus.train.row_tokens;
  std::vector<int64_t> order(static_cast<size_t>(rows));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  Random{seed, 0x61736964}.shuffle(order);
  const int64_t count = std::min(wanted, rows / 10);
  std::vector<bool> aside(static_cast<size_t>(rows));
  for (int64_t i = 0; i < count; ++i)
    aside[static_cast<size_t>(order[static_cast<size_t>(i)])] = true;
  PackedRows kept{T, {}};
  corpus.validation = {T, {}};
  for (int64_t row = 0; row < rows; ++row) {
    auto& part = aside[static_cast<size_t>(row)] ? corpus.validation : kept;
    const auto begin = corpus.train.tokens.begin() + row * T;
    part.tokens.insert(part.tokens.end(), begin, begin + T);
  }
  corpus.train = std::move(kept);
}

// A vocabulary of another language or alphabet leaves nothing to hide.
void require_known(const Corpus& corpus) {
  const std::vector<int32_t>& tokens = corpus.train.tokens;
  const auto unknown = std::count(tokens.begin(), tokens.end(), corpus.vocabulary.unknown_id());
  if (2 * unknown <= static_cast<int64_t>(tokens.size())) return;
  throw Error(ErrorCode::bad_data, "pretrain",
              fmt::format("{} of {} tokens are unknown to the vocabulary: is it for this text?",
                          unknown, tokens.size()));
}

Corpus read_corpus(const PretrainRequest& request) {
  Corpus corpus{vocabulary_for(request), 0, {}, {}};
  mask_settings(corpus.vocabulary);  // refuses one that cannot be pretrained with
  const WordPieceTokenizer tokenizer(corpus.vocabulary, request.lower_case);
  RowPacker packer(tokenizer, request.row_tokens, request.max_memory);
  read_documents(request.text, request.data_dir, [&](const std::string& document) {
    packer.add(document);
    ++corpus.documents;
  });
  corpus.train = packer.finish();
  require_known(corpus);
  set_aside(corpus, request.validation_rows, request.seed);
  if (corpus.validation.size() == 0) {
    throw Error(ErrorCode::bad_data, "pretrain",
                fmt::format("the text gives only {} rows of {} tokens, at least 10 are needed",
                            corpus.train.size(), request.row_tokens));
  }
  return corpus;
}

bool detects(const PretrainRequest& request) {
  return request.objective == PretrainObjective::replaced;
}

StagePlan plan_for(const PretrainRequest& request, std::unique_ptr<Stage> stage) {
  StagePlan plan;
  plan.stage = std::move(stage);
  plan.keep_best = !detects(request);  // train/pretraining/replaced_tokens.h says why
  plan.schedule.peak = request.rate;
  plan.schedule.steps = request.steps;
  plan.schedule.warmup = request.warmup;
  plan.seconds = request.minutes * 60;
  plan.validate_every = request.validate_every;
  return plan;
}

std::string fingerprint(const PretrainRequest& request, const Corpus& corpus) {
  const ModelShape& s = request.shape;
  Xxh64 digest;  // other text of the same size is other data
  digest.update(std::as_bytes(std::span(corpus.train.tokens)));
  return fmt::format(
      "pretrain v7 rows={}x{} digest={:x} vocab={}/{} L{} D{} H{} F{} A={} init={} batch={} "
      "objective={}/{} nested={} short={}/{} order={} rate={} warmup={} drop={} wd={} mask={}/{} "
      "steps={} minutes={} validate={} seed={}",
      corpus.train.size(), request.row_tokens, digest.digest(), corpus.vocabulary.size(),
      request.lower_case, s.layers, s.width, s.heads, s.ffn, attention_name(s.attention),
      request.init.string(), request.batch_rows, pretrain_objective_table.name(request.objective),
      request.generator_share, request.nested_share, request.short_tokens, request.short_share,
      request.order_weight, request.rate, request.warmup, request.dropout, request.weight_decay,
      request.mask_share, request.mask_share_at_end, request.steps, request.minutes,
      request.validate_every, request.seed);
}

std::string measured(const PretrainRequest& request, const PretrainReport& report) {
  std::string text =
      detects(request)
          ? fmt::format(
                "Replaced tokens found on rows set aside: {:.1f} %, and {:.1f} % of what "
                "was called replaced was, against a generator that predicts {:.1f} % of "
                "hidden tokens right",
                100 * report.found, 100 * report.precision, 100 * report.accuracy)
          : fmt::format("Hidden tokens predicted right on rows set aside: {:.1f} %",
                        100 * report.accuracy);
  if (request.order_weight > 0) {
    text += fmt::format("; order of segments: {:.1f} %", 100 * report.order_accuracy);
  }
  return text;
}

// What a model card says was trained.
std::string trained_on(const PretrainRequest& request) {
  std::string text = detects(request) ? "replaced-token detection" : "masked language model";
  if (request.order_weight > 0) text += " and sentence order";
  if (request.short_share > 0) {
    text += fmt::format(", the first {:.0f} % in rows of {} tokens", 100 * request.short_share,
                        request.short_tokens);
  }
  return text;
}

std::string card_for(const PretrainRequest& request, const ModelShape& shape,
                     const PretrainReport& report) {
  std::vector<std::string> names;  // of files without their folders, which mean nothing elsewhere
  for (const std::string& source : request.text) {
    const bool file = std::filesystem::is_regular_file(source);
    names.push_back("`" + (file ? std::filesystem::path(source).filename().string() : source) +
                    "`");
  }
  const std::string start =
      request.init.empty() ? ""
                           : fmt::format("- Goes on from: {}\n",
                                         (request.init / "").parent_path().filename().string());
  return fmt::format(
      "---\nlibrary_name: headroom\npipeline_tag: {}\n---\n\n"
      "# A pretrained encoder\n\n"
      "`headroom train --init` starts from it.\n\n"
      "- Text: {} ({} documents, {:.1f} M tokens), seen {:.1f} times\n"
      "- Shape: {} layers, width {}, {} heads, FFN {}, up to {} tokens, {} word pieces\n"
      "{}- Training: {}, {} steps of {} rows, peak rate {:.2g}, warm-up of {} steps, seed {}, {}\n"
      "- {}\n",
      detects(request) ? "feature-extraction" : "fill-mask", join(names, ", "), report.documents,
      static_cast<double>(report.text_tokens) / 1e6,
      report.tokens_seen / static_cast<double>(report.text_tokens), shape.layers, shape.width,
      shape.heads, shape.ffn, shape.positions, shape.vocabulary, start, trained_on(request),
      report.steps, request.batch_rows, request.rate, request.warmup, request.seed, today(),
      measured(request, report));
}

void check_request(const PretrainRequest& request) {
  const auto refuse = [](const std::string& why) {
    throw Error(ErrorCode::usage, "pretrain", why);
  };
  if (request.text.empty()) refuse("--text is required: files of plain text or data SPECs");
  const bool from_input = std::count(request.text.begin(), request.text.end(), "-") > 0;
  if (from_input && request.vocabulary.empty() && request.init.empty()) {
    refuse("--text - can be read once, but a vocabulary is trained first: give --vocab or a file");
  }
  if ((request.steps > 0) == (request.minutes > 0)) refuse("give either --steps or --minutes");
  check_shape(request.shape, "pretrain");
  if (request.batch_rows < 1) refuse("--batch must be at least 1");
  if (request.short_share > 0 && (request.row_tokens % request.short_tokens != 0 ||
                                  request.row_tokens == request.short_tokens)) {
    refuse(
        fmt::format("--short-share cuts rows of {} tokens into equal ones: --short-tokens {} is "
                    "no part of it",
                    request.row_tokens, request.short_tokens));
  }
  if (request.short_share >= 1) {
    refuse(
        fmt::format("--short-share {} leaves no step for whole rows, so positions from {} on would "
                    "never be trained: give less, or rows of --max-tokens {}",
                    request.short_share, request.short_tokens, request.short_tokens));
  }
}

// What a checkpoint must be to go on from, whose shape and case the run takes over.
void adopt_start(PretrainRequest& request) {
  const ModelConfig start = read_config(request.init);
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::usage, "go on from " + request.init.string(), why);
  };
  if (!request.vocabulary.empty()) refuse("it has a vocabulary of its own: leave --vocab out");
  if (start.task != Task::masked_lm && start.task != Task::encoder) {
    refuse(
        fmt::format("it was trained for {}: pretraining goes on from what `pretrain` or "
                    "`import` made",
                    task_name(start.task)));
  }
  if (start.tokenizer != TokenizerKind::wordpiece) refuse("its tokens are not word pieces");
  if (detects(request) && !start.shape.has_position_table()) {
    refuse("it has no table of positions that --objective replaced could share with a generator");
  }
  if (request.order_weight > 0 && start.shape.token_types < 2) {
    refuse("--sentence-order needs two token types, it has no second one");
  }
  if (start.stored) refuse("it is a compact model: go on from the one it was made of");
  if (request.row_tokens > start.shape.positions) {
    refuse(fmt::format("it reads up to {} tokens: --max-tokens {} is too long",
                       start.shape.positions, request.row_tokens));
  }
  request.shape = start.shape;
  request.lower_case = start.lower_case;
}

// Every option that was left to us gets its value; the rest of the code sees no "chosen" any more.
PretrainRequest decided(PretrainRequest request) {
  if (request.init.empty()) {
    request.shape.positions = request.row_tokens;
  } else {
    adopt_start(request);
  }
  if (request.rate == 0) request.rate = pretraining_rate(request.shape);
  if (request.warmup == 0) request.warmup = pretraining_warmup(request.steps);
  if (request.mask_share_at_end == 0) request.mask_share_at_end = request.mask_share;
  return request;
}

// Fresh, or those of --init. What the objective predicts with is fresh unless --init has it: an
// imported encoder has no head, one of replaced tokens none that predicts words, and nobody's
// generator is kept.
ElasticModel starting_model(const PretrainRequest& request, const Corpus& corpus,
                            const std::vector<float>& frequencies, torch::Device device) {
  ElasticModel model;
  model.shape = request.shape;
  model.shape.vocabulary = corpus.vocabulary.size();
  model.shape.labels = 0;
  model.dropout = request.dropout;
  model.weights = pretraining_weights(model.shape, request.seed, frequencies, device);
  const MaskedHead fresh_head = *model.weights.masked_head;
  if (!request.init.empty()) {
    const CheckpointModel start = open_checkpoint(request.init, device);
    model.layer_norm_eps = start.config.layer_norm_eps;
    model.weights = start.model.weights;
  }
  if (detects(request)) {
    model.weights.masked_head.reset();
    model.weights.head = OutputHead::none;
    model.detection = pretraining_detection(model.shape, request.generator_share,
                                            request.mask_share, request.seed, frequencies, device);
  } else {
    if (!model.weights.masked_head) model.weights.masked_head = fresh_head;
    model.weights.head = OutputHead::masked_lm;
  }
  if (request.order_weight > 0) {
    Random random{request.seed, order_key};
    model.order_head = fresh_binary_head(model.shape.width, 0.5, random, device);
  }
  return model;
}

MaskSettings masks_for(const PretrainRequest& request, const Vocabulary& vocabulary) {
  MaskSettings masks = mask_settings(vocabulary);
  masks.share = request.mask_share;
  masks.share_at_end = request.mask_share_at_end;
  // As in ELECTRA's code; its paper hides them all.
  if (detects(request)) {
    masks.masked = 0.85;
    masks.random = 0;
  }
  return masks;
}

std::unique_ptr<Stage> stage_for(const PretrainRequest& request, const MaskSettings& masks,
                                 const Vocabulary& vocabulary, const PlateauWatch& watch,
                                 const std::vector<Batch>& validation) {
  PretrainingSettings settings{masks};
  settings.lengths = {request.short_tokens, request.short_share};
  settings.segments = segment_settings(vocabulary, request.order_weight);
  settings.watch = watch;
  settings.nested = request.nested_share;
  return detects(request) ? replaced_tokens_stage(settings, validation)
                          : masked_lm_stage(settings, validation);
}

// Of the weights that are kept, on the rows set aside.
void measure(const PretrainRequest& request, Stage& stage, const ElasticModel& model,
             PretrainReport& report) {
  const Validation kept = stage.validate(model);
  report.accuracy = kept.score;
  if (request.order_weight > 0) report.order_accuracy = kept.detail("order_accuracy");
  if (!detects(request)) return;
  report.found = kept.score;
  report.precision = kept.detail("precision");
  report.detection_loss = kept.detail("loss");
  report.accuracy = kept.detail("generator_accuracy");
}

}  // namespace

PretrainReport pretrain_model(const PretrainRequest& asked, ProgressSink& progress) {
  check_request(asked);
  const PretrainRequest request = decided(asked);
  const auto ranks = join_ranks(request.parallel, request.device, request.threads);
  const torch::Device device = ranks->device();
  const TrainingOutput output{request.out, request.resume, request.restart};
  if (ranks->first()) check_output(output);
  const Corpus corpus = read_corpus(request);
  const auto lock = ranks->first() ? open_output(output) : nullptr;

  const MaskSettings masks = masks_for(request, corpus.vocabulary);
  const std::vector<float> frequencies = log_frequencies(corpus.train, masks);
  PlateauWatch watch;
  watch.frequency_loss = frequency_loss(frequencies, corpus.validation, masks);
  watch.from_step = std::max<int64_t>(2 * request.warmup, 1000);
  watch.rate = request.rate;
  watch.progress = &progress;

  ElasticModel model = starting_model(request, corpus, frequencies, device);
  progress.note(fmt::format("{} documents, {} rows of {} tokens, {} set aside, {} word pieces",
                            corpus.documents, corpus.train.size(), request.row_tokens,
                            corpus.validation.size(), corpus.vocabulary.size()));
  progress.note(
      fmt::format("peak rate {:.2g} after {} steps; word frequencies alone have a loss of {:.2f}",
                  request.rate, request.warmup, watch.frequency_loss));
  if (detects(request)) {
    const ModelShape generator = generator_shape(model.shape, request.generator_share);
    progress.note(fmt::format("generator: {} layers, width {}, {} heads, FFN {}", generator.layers,
                              generator.width, generator.heads, generator.ffn));
  }

  const int batch = request.batch_rows;
  const std::vector<Batch> validation = packed_batches(corpus.validation, batch, device);
  const auto source = packed_source(corpus.train, batch, request.seed, device);
  std::vector<StagePlan> plans;
  plans.push_back(
      plan_for(request, stage_for(request, masks, corpus.vocabulary, watch, validation)));
  TrainerSettings settings;
  settings.seed = request.seed;
  // RoBERTa's (arXiv 1907.11692): large batches of rare words need a shorter memory.
  settings.optimiser.beta2 = 0.98;
  settings.optimiser.epsilon = 1e-6;
  settings.parameters.weight_decay = request.weight_decay;
  settings.state_directory = output.state_directory();
  settings.save_seconds = request.save_seconds;
  settings.resume = request.resume;
  settings.fingerprint = fingerprint(request, corpus);
  settings.ranks = ranks;
  settings.accumulate = request.parallel.accumulate;
  const TrainingResult training = run_stages(model, plans, *source, settings, progress);
  if (!ranks->first()) return {};

  PretrainReport report;
  report.documents = corpus.documents;
  report.text_tokens = (corpus.train.size() + corpus.validation.size()) * request.row_tokens;
  report.steps = training.steps;
  const auto row_tokens = static_cast<double>(request.row_tokens);
  report.tokens_seen = static_cast<double>(training.steps * source->batch_size()) * row_tokens;
  report.tokens_per_second =
      training.seconds > 0 ? training.samples * row_tokens / training.seconds : 0;
  measure(request, *plans[0].stage, model, report);
  for_each_tensor(model.weights, [&](const std::string&, torch::Tensor& tensor) {
    report.parameters += tensor.numel();
  });

  ModelConfig config;
  config.shape = model.shape;
  config.dropout = request.dropout;
  config.layer_norm_eps = model.layer_norm_eps;
  config.task = detects(request) ? Task::encoder : Task::masked_lm;
  config.pooler = false;
  config.tokenizer = TokenizerKind::wordpiece;
  config.lower_case = request.lower_case;
  ModelWeights on_cpu = to_device(model.weights, torch::kCPU);
  const DType type = request.bf16_weights ? DType::bf16 : DType::f32;
  write_checkpoint(request.out,
                   {config, corpus.vocabulary.to_text(), card_for(request, model.shape, report),
                    training.log, tensor_views(on_cpu, type)});
  remove_tree(output.state_directory());
  return report;
}

}  // namespace headroom
