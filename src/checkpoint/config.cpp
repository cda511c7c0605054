#include "checkpoint/config.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "budget/fraction.h"
#include "checkpoint/config_keys.h"
#include "families/families.h"
#include "text/letter_case.h"

namespace headroom {
namespace {

// 2 added other attentions than standard, compact models and encoders without a head; 3
// controllers and tasks beyond texts with labels; 4 families other than BERT; 5 outputs other than
// one label; 6 rankers whose scores contain BM25; 7 taggers that read letter case; 8 which part of
// a long text is read. A file says the lowest version that can read it.
constexpr int format_version = 8;

// Whether Transformers has a class for it; the others are ours, in BERT's manner.
bool has_family(Task task) {
  return traits(task).architecture.empty();
}

bool has_other_output(const ModelConfig& config) {
  return (answers_text(config.task) && !classifies_text(config.task)) || config.max_tokens ||
         config.output != OutputConfig{};
}

int needed_version(const ModelConfig& config) {
  if (config.truncation) return 8;
  if (config.letter_case) return 7;
  if (config.output.lexical) return 6;
  if (has_other_output(config) || config.tokenizer == TokenizerKind::pipeline) return 5;
  if (config.shape.family != "bert") return 4;
  if (config.adaptive()) return 3;
  if (config.task == Task::pair || !has_family(config.task)) return 3;
  const bool second = config.stored || config.task == Task::encoder ||
                      config.shape.attention != AttentionKind::standard;
  return second ? 2 : 1;
}

template <typename Enum, size_t N>
Enum from_name(const JsonFields& fields, std::string_view key, const EnumTable<Enum, N>& table) {
  const std::string name = fields.text(key);
  if (const std::optional<Enum> value = table.find(name)) return *value;
  fields.fail(key, fmt::format("is \"{}\", this version knows: {}", name, table.list()));
}

std::vector<double> finite_numbers(const JsonFields& fields, std::string_view key) {
  std::vector<double> numbers;
  for (const Json& value : fields.array(key)) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      fields.fail(key, fmt::format("holds {}, expected finite numbers", shown(value)));
    }
    numbers.push_back(value.get<double>());
  }
  return numbers;
}

GateParameters gates_from_json(const Json& json, const ModelShape& shape) {
  const JsonFields fields(json, ErrorCode::bad_model, "config.json headroom.gates");
  GateParameters gates{shape.layers, shape.heads, finite_numbers(fields, "offset"),
                       finite_numbers(fields, "slope")};
  const auto units = static_cast<size_t>(shape.total_heads());
  if (gates.offset.size() != units) {
    fields.fail("offset", fmt::format("has {} values for {} heads", gates.offset.size(), units));
  }
  if (gates.slope.size() != 1 && gates.slope.size() != units) {
    fields.fail("slope",
                fmt::format("has {} values, expected 1 (shared) or {}", gates.slope.size(), units));
  }
  return gates;
}

void read_controller(const Json& json, ModelConfig& config) {
  const JsonFields fields(json, ErrorCode::bad_model, "config.json headroom.controller");
  config.shape.controller = fields.integer("hidden", 1, 65536);
  config.relevance_temperature = fields.number("temperature", 1e-6, 1e6);
}

UnitOrder order_from_json(const JsonFields& own, const ModelShape& shape) {
  std::vector<std::string> names;
  for (const Json& unit : own.array("order")) {
    if (!unit.is_string()) own.fail("order", fmt::format("holds {}, not a string", shown(unit)));
    names.push_back(unit.get<std::string>());
  }
  return parse_units(names, shape);
}

// 16 hexadecimal digits.
uint64_t checksum_from_json(const JsonFields& own) {
  const std::string text = own.text("weights_xxh64");
  uint64_t checksum = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, checksum, 16);
  if (text.size() != 16 || error != std::errc() || stop != end) {
    own.fail("weights_xxh64",
             fmt::format("is {}, expected 16 hexadecimal digits", shown(Json(text))));
  }
  return checksum;
}

ImageFormat image_from_json(const Json& json) {
  const JsonFields fields(json, ErrorCode::bad_model, "config.json headroom.image");
  const ImageFormat image{fields.integer("side", 1, 4096), fields.integer("channels", 1, 64),
                          fields.integer("patch", 1, 4096)};
  if (image.side % image.patch != 0) {
    fields.fail("patch", fmt::format("is {}, which does not divide the side of {}", image.patch,
                                     image.side));
  }
  return image;
}

// What the task decides about the shape.
void set_task_shape(ModelConfig& config, const JsonFields& own) {
  ModelShape& shape = config.shape;
  if (config.task == Task::image) {
    config.image = image_from_json(own.object("image"));
    shape.patch_values = config.image.patch_values();
    if (shape.positions != config.image.patches() + 1) {
      own.fail("image", fmt::format("has {} patches and a class token, but "
                                    "max_position_embeddings is {}",
                                    config.image.patches(), shape.positions));
    }
  }
  if (config.task == Task::translate) {
    shape.decoder_layers = own.integer("decoder_layers", 1, 128);
  }
  shape.causal = config.task == Task::lm;
  shape.readout = readout_of(config.task);
  if (config.task == Task::lm || config.task == Task::image) shape.token_types = 0;
}

Json stored_to_json(const Selection& stored, const ModelShape& shape) {
  std::vector<int64_t> ffn;
  for (int64_t i = 0; i < shape.layers; ++i) ffn.push_back(stored.ffn_of(i, shape.ffn));
  return {{"heads", stored.kept}, {"ffn", ffn}};
}

// Ascending head numbers below shape.heads.
std::vector<int32_t> stored_heads(const JsonFields& fields, const Json& layer,
                                  const ModelShape& shape) {
  std::vector<int32_t> heads;
  if (!layer.is_array()) fields.fail("heads", fmt::format("holds {}, not a list", shown(layer)));
  for (const Json& head : layer) {
    const int64_t lowest = heads.empty() ? 0 : heads.back() + 1;
    if (!head.is_number_integer() || head < lowest || head >= shape.heads) {
      fields.fail("heads", fmt::format("holds {}, expected ascending numbers below {}",
                                       shown(layer), shape.heads));
    }
    heads.push_back(head.get<int32_t>());
  }
  return heads;
}

Selection stored_from_json(const Json& json, const ModelShape& shape) {
  const JsonFields fields(json, ErrorCode::bad_model, "config.json headroom.stored");
  Selection stored{shape.heads, {}, {}};
  for (const Json& layer : fields.array("heads")) {
    stored.kept.push_back(stored_heads(fields, layer, shape));
  }
  for (const Json& width : fields.array("ffn")) {
    if (!width.is_number_integer() || width < 0 || width > shape.ffn) {
      fields.fail("ffn", fmt::format("holds {}, expected 0 to {}", shown(width), shape.ffn));
    }
    stored.ffn.push_back(width.get<int64_t>());
  }
  if (stored.layers() != shape.layers || static_cast<int64_t>(stored.ffn.size()) != shape.layers) {
    fields.fail("heads", fmt::format("and ffn have {} and {} layers, the model {}", stored.layers(),
                                     stored.ffn.size(), shape.layers));
  }
  return stored;
}

}  // namespace

std::string ModelConfig::architecture() const {
  const ModelSchema& schema = schema_of(shape);
  if (!has_family(task)) return std::string(traits(task).architecture);
  if (task == Task::masked_lm) return std::string(schema.masked_lm_class);
  if (task == Task::tag) return schema.tagger_class();
  const bool bare = task == Task::encoder || task == Task::embed;
  return std::string(bare ? schema.encoder_class : schema.classifier_class);
}

std::string checksum_text(uint64_t checksum) {
  return fmt::format("{:016x}", checksum);
}

Selection ModelConfig::selection(double budget) const {
  checked_budget(budget);
  if (budget >= 1.0) return everything();
  if (order) return select_units(*order, shape, budget);
  if (adaptive() && !gates) {
    Selection most = everything();
    for (auto& layer : most.kept)
      layer.resize(static_cast<size_t>(heads_at(budget, 1, shape.heads)));
    return most;
  }
  if (!gates) {
    throw Error(ErrorCode::usage, "select heads",
                fmt::format("this checkpoint is {} and runs at budget 1 only; train it with "
                            "--method nested, budgeted or adaptive to ask for {}",
                            method_name(method), budget));
  }
  return select_heads(gates->order(budget), budget);
}

HeadLimit ModelConfig::head_limit(double budget) const {
  checked_budget(budget);
  return gates ? gated_limit(*gates, budget, relevance_temperature) : even_limit(shape, budget);
}

void require_fixed_heads(const ModelConfig& config, const char* operation) {
  if (!config.adaptive()) return;
  throw Error(ErrorCode::usage, operation,
              "this checkpoint is adaptive: it chooses heads for every text as it runs, which this "
              "format cannot; train it with --method nested or budgeted");
}

void require_plain_types(const ModelConfig& config, const char* operation) {
  if (!config.letter_case) return;
  throw Error(ErrorCode::usage, operation,
              "this tagger reads the letter case of words as token types, which other programs' "
              "tokenizers do not tell; train it with --letter-case=false");
}

std::optional<std::string> truncation_note(const ModelConfig& config) {
  if (!config.truncation) return std::nullopt;
  std::string_view advice = "cut such texts so before";
  if (*config.truncation == KeptPart::head) advice = "set truncation_side to right there";
  if (*config.truncation == KeptPart::tail) advice = "set truncation_side to left there";
  return fmt::format(
      "of a text beyond {} tokens this model reads {}, other programs' tokenizers another part: {}",
      config.longest_input(), describe(*config.truncation), advice);
}

Json config_to_json(const ModelConfig& config) {
  const ModelShape& shape = config.shape;
  Json json;
  const ModelSchema& schema = schema_of(shape);
  json["architectures"] = {config.architecture()};
  json["model_type"] = has_family(config.task) ? schema.model_type : "headroom";
  for (const SizeKey& each : schema.sizes) {
    const int64_t size = size_in_file(shape, each);
    if (each.fallback < 0 || size > 0) json[std::string(each.key)] = size;
  }
  json[std::string(schema.activation_key)] = activation_name(shape.activation);
  json[std::string(schema.dropout_key)] = config.dropout;
  json[std::string(schema.attention_dropout_key)] = config.dropout;
  if (!schema.layer_norm_eps_key.empty()) {
    json[std::string(schema.layer_norm_eps_key)] = config.layer_norm_eps;
  }
  if (schema.write_network != nullptr) schema.write_network(shape, json);
  if (!json.contains("pad_token_id")) json["pad_token_id"] = 0;
  if (!config.labels.empty()) {
    json["id2label"] = Json::object();
    json["label2id"] = Json::object();
  }
  for (size_t i = 0; i < config.labels.size(); ++i) {
    json["id2label"][std::to_string(i)] = config.labels[i];
    json["label2id"][config.labels[i]] = i;
  }
  if (config.task == Task::multilabel) json["problem_type"] = "multi_label_classification";
  if (config.task == Task::regress) json["problem_type"] = "regression";
  Json own;
  own["format"] = needed_version(config);
  own["task"] = task_name(config.task);
  own["method"] = method_name(config.method);
  own["scope"] = config.scope();
  own["attention"] = attention_name(config.shape.attention);
  own["tokenizer"] = tokenizer_name(config.tokenizer);
  if (config.tokenizer == TokenizerKind::wordpiece) own["lower_case"] = config.lower_case;
  if (config.letter_case) own["letter_case"] = true;
  if (config.truncation) own["truncation"] = kept_part_table.name(*config.truncation);
  if (config.task == Task::encoder) own["pooler"] = config.pooler;
  if (config.max_tokens) own["max_tokens"] = *config.max_tokens;
  output_to_json(config.output, config.task, shape, own);
  if (config.task == Task::image) {
    own["image"] = {{"side", config.image.side},
                    {"channels", config.image.channels},
                    {"patch", config.image.patch}};
  }
  if (shape.decoder_layers > 0) own["decoder_layers"] = shape.decoder_layers;
  if (config.method == Method::static_gates) own["trained_budget"] = config.trained_budget;
  if (config.gates)
    own["gates"] = {{"offset", config.gates->offset}, {"slope", config.gates->slope}};
  if (config.adaptive()) {
    own["controller"] = {{"hidden", shape.controller},
                         {"temperature", config.relevance_temperature}};
  }
  if (config.order) own["order"] = unit_names(*config.order);
  if (config.stored) own["stored"] = stored_to_json(*config.stored, shape);
  if (config.weights_checksum) own["weights_xxh64"] = checksum_text(*config.weights_checksum);
  json["headroom"] = own;
  return json;
}

ModelConfig config_from_json(const Json& json) {
  const JsonFields fields(json, ErrorCode::bad_model, "config.json");
  if (!fields.has("headroom")) {
    fields.fail("headroom", "is missing: a Hugging Face folder? It must be imported first");
  }
  const JsonFields own(fields.object("headroom"), ErrorCode::bad_model, "config.json headroom");
  const int64_t version = own.integer("format", 1, 1'000'000);
  if (version > format_version) {
    own.fail("format",
             fmt::format("is {}, this version reads up to {}: written by a newer headroom?",
                         version, format_version));
  }

  ModelConfig config;
  config.task = from_name(own, "task", task_table);
  if (!has_family(config.task)) expect_text(fields, "model_type", "headroom");
  const ModelSchema& schema =
      has_family(config.task) ? read_family(fields) : schema_of(config.shape);
  config.shape = read_shape(fields, schema);
  config.dropout = read_dropout(fields, schema);
  config.layer_norm_eps = read_layer_norm_eps(fields, schema);
  set_task_shape(config, own);
  config.pooler = own.boolean_or("pooler", true);
  if (config.has_labels()) config.labels = read_labels(fields, names_labels(config.task));
  config.shape.labels = static_cast<int64_t>(config.labels.size());
  if (own.has("max_tokens")) {
    config.max_tokens = own.integer("max_tokens", 2, config.shape.positions);
  }
  config.output = output_from_json(own, config.task, config.shape);
  config.tokenizer = from_name(own, "tokenizer", tokenizer_table);
  config.lower_case = own.boolean_or("lower_case", true);
  config.letter_case = own.boolean_or("letter_case", false);
  if (config.letter_case &&
      (config.task != Task::tag || config.shape.token_types != letter_cases)) {
    own.fail("letter_case",
             fmt::format("is for taggers with {} token types; this is a model of "
                         "task {} with {}",
                         letter_cases, task_name(config.task), config.shape.token_types));
  }
  if (own.has("truncation")) {
    config.truncation = from_name(own, "truncation", kept_part_table);
    if (!answers_whole_text(config.task)) {
      own.fail("truncation", fmt::format("is for models of one text and one answer, not of task {}",
                                         task_name(config.task)));
    }
  }
  config.method = from_name(own, "method", method_table);
  if (own.has("attention")) {
    config.shape.attention = from_name(own, "attention", attention_table);
  }
  if (own.has("stored")) config.stored = stored_from_json(own.object("stored"), config.shape);
  if (config.stored && config.method != Method::dense) {
    own.fail("stored", "is for models of method dense: a compact model has no smaller budgets");
  }
  if (config.method == Method::nested) config.order = order_from_json(own, config.shape);
  expect_text(own, "scope", config.scope());
  if (config.method == Method::adaptive) read_controller(own.object("controller"), config);
  if (config.method == Method::budgeted || config.method == Method::static_gates ||
      (config.adaptive() && own.has("gates"))) {
    config.gates = gates_from_json(own.object("gates"), config.shape);
  }
  if (config.method == Method::static_gates) {
    config.trained_budget = own.number("trained_budget", 1e-9, 1.0);
  }
  if (own.has("weights_xxh64")) config.weights_checksum = checksum_from_json(own);
  return config;
}

}  // namespace headroom
