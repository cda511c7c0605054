// config.json: the keys Hugging Face users know from BERT, plus one "headroom" object. A
// ModelConfig that exists is valid: everything is checked when it is read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_table.h"
#include "base/image_format.h"
#include "base/json.h"
#include "base/task.h"
#include "budget/gates.h"
#include "budget/head_choice.h"
#include "budget/order.h"
#include "budget/selection.h"
#include "budget/shape.h"
#include "budget/unit_order.h"
#include "checkpoint/output_config.h"
#include "families/schema.h"
#include "text/truncation.h"

namespace headroom {

enum class Method { dense, nested, budgeted, static_gates, adaptive };
inline constexpr auto method_table =
    enum_table<Method>("method", {{Method::dense, "dense", "one budget: everything"},
                                  {Method::nested, "nested", "heads and FFN neurons in one order"},
                                  {Method::budgeted, "budgeted", "heads behind gates"},
                                  {Method::static_gates, "static", "gates for one budget"},
                                  {Method::adaptive, "adaptive", "heads chosen for each input"}});
constexpr const auto& table_of(Method) {
  return method_table;
}
constexpr std::string_view method_name(Method method) {
  return method_table.name(method);
}

enum class TokenizerKind { word, wordpiece, character, space, pipeline };
inline constexpr auto tokenizer_table =
    enum_table<TokenizerKind>("tokenizer", {{TokenizerKind::word, "word"},
                                            {TokenizerKind::wordpiece, "wordpiece"},
                                            {TokenizerKind::character, "character"},
                                            {TokenizerKind::space, "space"},
                                            // as tokenizer.json beside the weights says
                                            {TokenizerKind::pipeline, "pipeline"}});
constexpr const auto& table_of(TokenizerKind) {
  return tokenizer_table;
}
constexpr std::string_view tokenizer_name(TokenizerKind kind) {
  return tokenizer_table.name(kind);
}
// "words", "word pieces", "characters", "tokens"
constexpr std::string_view token_word(TokenizerKind kind) {
  if (kind == TokenizerKind::character) return "characters";
  if (kind == TokenizerKind::pipeline) return "tokens";
  return kind == TokenizerKind::wordpiece ? "word pieces" : "words";
}

struct ModelConfig {
  ModelShape shape;
  double dropout = 0.1;
  double layer_norm_eps = 1e-12;
  Task task = Task::classify;
  Method method = Method::dense;
  TokenizerKind tokenizer = TokenizerKind::word;
  bool lower_case = true;           // wordpiece: lower-case and strip accents
  std::vector<std::string> labels;  // shape.labels of them: at least two where the task names
                                    // labels, one name of a score, none otherwise
  bool letter_case = false;  // tag: token types tell the letter case of words (text/letter_case.h)
  // What is read of a text that is too long; nothing: what the tokenizer's files say, or its head.
  std::optional<KeptPart> truncation;
  OutputConfig output;
  std::optional<int64_t> max_tokens;    // longest input where that is less than shape.positions
  ImageFormat image;                    // of the image task
  bool pooler = true;                   // encoder: whether the [CLS] pooler is stored
  std::optional<GateParameters> gates;  // budgeted and static; adaptive where trained with them
  double trained_budget = 1.0;          // static: the one budget the gates were trained for
  std::optional<UnitOrder> order;       // nested; the weights are stored in this order
  double relevance_temperature = 1.0;   // adaptive: tau of q = softmax(z / tau)
  // A compact model: the heads, under their numbers in the whole model, and the FFN widths that its
  // file holds. Nothing: all of them.
  std::optional<Selection> stored;
  // XXH64 of model.safetensors; nothing: written before there was one. Set by write_checkpoint().
  std::optional<uint64_t> weights_checksum;

  // What the budget governs: "heads" or "heads+ffn".
  std::string scope() const { return order && order->groups > 0 ? "heads+ffn" : "heads"; }

  OutputHead output_head() const {
    if (task == Task::masked_lm) return OutputHead::masked_lm;
    if (shape.generates()) return OutputHead::language;
    if (task == Task::encoder) return pooler ? OutputHead::pooler : OutputHead::none;
    if (readout_of(task) == Readout::tokens) return OutputHead::tagger;
    if (readout_of(task) == Readout::vector) return OutputHead::vector;
    return OutputHead::classifier;
  }
  // Whether it has a pooler and a classifier. Others generate text, tag every token, give vectors,
  // or are something to start training from.
  bool classifies() const { return output_head() == OutputHead::classifier; }
  bool has_labels() const { return classifies() || output_head() == OutputHead::tagger; }

  // In tokens, special ones included; longer texts are truncated.
  int64_t longest_input() const { return max_tokens.value_or(shape.positions); }

  // Everything that the file holds.
  Selection everything() const { return stored ? *stored : all_heads(shape.layers, shape.heads); }

  std::vector<TensorSpec> tensors() const {
    return tensor_specs(shape, output_head(), everything());
  }

  // Hugging Face's class for it, or a name of ours.
  std::string architecture() const;

  // Whether it chooses heads for every input: its file holds controllers.
  bool adaptive() const { return shape.controller > 0; }
  // Whether its units come alive in one order as the budget grows.
  bool ordered() const { return gates || order; }
  // Whether it has budgets below 1.
  bool elastic() const { return ordered() || adaptive(); }

  // The units alive at `budget`. Budget 1 is everything; a smaller one needs a model that was
  // trained for it, otherwise ErrorCode::usage says how to get one. Of an adaptive model: as many
  // heads as an input may get, not which.
  Selection selection(double budget) const;

  // Adaptive models: what `budget` leaves of the choice.
  HeadLimit head_limit(double budget) const;
};

std::string checksum_text(uint64_t checksum);  // 16 hexadecimal digits

Json config_to_json(const ModelConfig& config);
ModelConfig config_from_json(const Json& json);  // throws ErrorCode::bad_model

// Refuses (ErrorCode::usage, naming `operation`) a model that chooses heads per input: for formats
// whose graphs have no place for the choice.
void require_fixed_heads(const ModelConfig& config, const char* operation);

// Refuses likewise a tagger that reads the letter case of words as token types: for formats whose
// users have tokenizers that do not tell it.
void require_plain_types(const ModelConfig& config, const char* operation);

// What users of other programs have to know about texts that are too long; nothing where those
// programs read what this model does.
std::optional<std::string> truncation_note(const ModelConfig& config);

}  // namespace headroom
