#include "checkpoint/hf/export.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/measure/machine.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/exported_scores.h"
#include "checkpoint/hf/card.h"
#include "checkpoint/hf/sentence.h"
#include "checkpoint/hf/tokenizer.h"
#include "checkpoint/make_tokenizer.h"
#include "checkpoint/policy_file.h"
#include "checkpoint/sliced_tensors.h"
#include "families/families.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t card_limit = 16ULL << 20;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::usage, "export", why);
}

std::string torch_name(DType dtype) {
  if (dtype == DType::f16) return "float16";
  return dtype == DType::bf16 ? "bfloat16" : "float32";
}

// What no BERT of Transformers computes cannot be imitated by setting weights to zero.
void require_bert(const ModelConfig& config, const Selection& kept, double budget) {
  const ModelShape& shape = config.shape;
  require_plain_types(config, "export");
  if (shape.attention != AttentionKind::standard) {
    refuse(fmt::format("its attention is {}, which no BERT of Transformers has",
                       attention_name(shape.attention)));
  }
  if (shape.form.norms == NormOrder::pre) return;  // a skipped block adds zeros
  for (int64_t i = 0; i < shape.layers; ++i) {
    const bool no_heads = kept.heads_of(i) == 0;
    if (!no_heads && kept.ffn_of(i, shape.ffn) > 0) continue;
    refuse(
        fmt::format("budget {} skips the {} of layer {}, residual and norm included, but a BERT "
                    "of Transformers always adds and normalises: take a larger budget, leave "
                    "out --dense-equivalent, or use --format onnx",
                    budget, no_heads ? "attention" : "FFN", i));
  }
}

std::string text_or_nothing(const fs::path& file) {
  return fs::exists(file) ? read_checkpoint_file(file, card_limit) : "";
}

// Cut to one budget there is nothing left to choose; scores mean what they did at that budget.
ModelConfig without_budgets(ModelConfig config, const ScoreCalibration& kept) {
  config.method = Method::dense;
  config.gates.reset();
  config.order.reset();
  config.stored.reset();
  config.output.calibration.clear();
  if (kept != ScoreCalibration{kept.budget}) {
    config.output.calibration = {{1.0, kept.temperature, kept.offset, kept.lexical}};
  }
  if (kept.lexical == 0) config.output.lexical.reset();
  return config;
}

// Transformers knows no calibration: the last layer takes it in. Returns what is left of it for
// config.json, which headroom reads, and notes what Transformers then does without.
ScoreCalibration fold_calibration(const ModelConfig& config, ScoreCalibration at,
                                  SlicedTensors& tensors, std::vector<std::string>& notes) {
  if (at.temperature == 1 && at.offset == 0) return at;
  const OutputHead head = config.output_head();
  if (head != OutputHead::classifier && head != OutputHead::tagger) return at;
  const Role role = head == OutputHead::tagger ? Role::tagger : Role::classifier;
  if (tensors.rescale(schema_of(config.shape).name_of({role}), at.temperature, at.offset)) {
    return {at.budget, 1, 0, at.lexical};
  }
  notes.push_back(fmt::format(
      "calibration stays behind, as 16-bit weights would be rounded: for headroom's scores divide "
      "the logits of Transformers by {:.4g} and add {:.4g}",
      at.temperature, at.offset));
  return at;
}

// A ladder of rung zero and the full model is one of a model with one budget, too.
bool climbs_without_budgets(const Policy& policy) {
  return std::all_of(policy.rungs.begin(), policy.rungs.end(),
                     [](const Rung& rung) { return rung.budget == 0 || rung.budget == 1; });
}

StoredPolicy without_other_budgets(StoredPolicy stored) {
  std::erase_if(stored.policy->temperatures,
                [](const ScoreCalibration& each) { return each.budget != 0 && each.budget != 1; });
  return stored;
}

// What Transformers reads and our own reader does not need.
Json transformers_keys(const Vocabulary& vocabulary, const std::string& dtype) {
  return {{"pad_token_id", vocabulary.pad_id()},
          {"position_embedding_type", "absolute"},
          {"dtype", dtype},         // version 5
          {"torch_dtype", dtype}};  // version 4
}

// Whether positions follow from pad_token_id, which then is the model's own.
bool counts_from_padding(const ModelShape& shape) {
  const auto& sizes = schema_of(shape).sizes;
  return std::any_of(sizes.begin(), sizes.end(), [](const SizeKey& each) {
    return each.size == &ModelShape::padding_position;
  });
}

// The checkpoint's card, which must not go on promising other budgets.
std::string card_at(const fs::path& checkpoint, double budget) {
  std::string card = text_or_nothing(checkpoint / "README.md");
  const std::string_view promise = "at any compute budget";
  const std::string fact = fmt::format("at budget {}", budget);
  for (size_t at = 0; (at = card.find(promise, at)) != std::string::npos; at += fact.size()) {
    card.replace(at, promise.size(), fact);
  }
  return card;
}

// Everything but config and tensors.
void add_companions(const fs::path& checkpoint, const ModelConfig& config, double budget,
                    const std::vector<std::string>& lines, CheckpointContent& content) {
  content.card = card_with_section(card_at(checkpoint, budget), "Exported by headroom", lines);
  if (config.tokenizer == TokenizerKind::wordpiece) {
    content.files["tokenizer_config.json"] = tokenizer_config_text(config.lower_case, config.shape);
  } else if (config.tokenizer == TokenizerKind::pipeline) {
    content.files.merge(named_files(read_tokenizer_files(checkpoint)));
  }
  if (config.task == Task::embed) {
    content.files.merge(sentence_files(config));
    if (config.shape.dense > 0) {
      content.tensor_files[dense_weights_path] = dense_views(content.tensors);
    }
  }
  for (const char* name : licence_names) {
    if (fs::exists(checkpoint / name)) content.files[name] = text_or_nothing(checkpoint / name);
  }
}

}  // namespace

HfExportReport export_hf_folder(const fs::path& checkpoint, double budget, HfForm form,
                                const fs::path& out) {
  std::error_code ignored;
  if (fs::equivalent(checkpoint, out, ignored)) {
    refuse("--out is the checkpoint itself, which would lose its other budgets");
  }
  require_replaceable(out, "export");
  const ModelConfig config = read_config(checkpoint);
  require_fixed_heads(config, "export");
  const std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(checkpoint, config);
  const Vocabulary& vocabulary = tokenizer->vocabulary();
  const Selection kept = config.selection(budget);
  if (form == HfForm::dense_equivalent) require_bert(config, kept, budget);
  const bool whole = kept == all_heads(config.shape.layers, config.shape.heads);
  SlicedTensors tensors(checkpoint / "model.safetensors", config);
  const StoredPolicy stored = read_policy(checkpoint, config);
  const bool keeps_policy =
      stored.policy && whole && form == HfForm::compact && climbs_without_budgets(*stored.policy);
  HfExportReport report;
  report.dtype = torch_name(tensors.views().front().dtype);
  ScoreCalibration calibration =
      exported_calibration(config, keeps_policy ? StoredPolicy{} : stored, budget);
  if (form == HfForm::dense_equivalent) {
    report.notes = score_notes(config, calibration, "headroom.thresholds of config.json");
    calibration = fold_calibration(config, calibration, tensors, report.notes);
  }
  ModelConfig cut = without_budgets(config, calibration);
  std::string what = "whole";
  if (form == HfForm::dense_equivalent) {
    tensors.fill_up(kept);
    what = "dense-equivalent (removed units are zero)";
  } else if (!whole) {
    tensors.shrink(kept);
    cut.stored = kept;
    what = "compact (removed units are left out; headroom loads it, Transformers does not)";
  }

  if (config.tokenizer == TokenizerKind::word) {
    report.notes.emplace_back(
        "the words of this checkpoint are headroom's own: Transformers has no such tokenizer and "
        "has to be given token ids");
  }
  if (const auto note = truncation_note(config)) report.notes.push_back(*note);
  if (stored.policy && !keeps_policy) report.notes.emplace_back(policy_stays_behind);
  const bool has_list = config.tokenizer != TokenizerKind::pipeline;
  CheckpointContent content{cut, has_list ? vocabulary.to_text() : "", "", "", tensors.views()};
  content.keys = transformers_keys(vocabulary, report.dtype);
  if (counts_from_padding(config.shape)) content.keys.erase("pad_token_id");
  std::vector<std::string> lines = {fmt::format("At budget {}, {}, {}", budget, what, today())};
  lines.insert(lines.end(), report.notes.begin(), report.notes.end());
  add_companions(checkpoint, config, budget, lines, content);
  if (keeps_policy) content.policy = without_other_budgets(stored);
  write_checkpoint(out, content);
  report.bytes = fs::file_size(out / "model.safetensors");
  return report;
}

}  // namespace headroom
