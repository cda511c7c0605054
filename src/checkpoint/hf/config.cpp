#include "checkpoint/hf/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/join.h"
#include "checkpoint/config_keys.h"

namespace headroom {
namespace {

constexpr int64_t max_labels = 100'000;

// Everything but classifiers of texts and of tokens becomes a bare encoder: other heads are of no
// use to one.
std::string read_architecture(const JsonFields& fields, const ModelSchema& schema) {
  if (!fields.has("architectures") || fields.array("architectures").empty()) return "";
  const Json& first = fields.array("architectures")[0];
  std::string name = first.is_string() ? first.get<std::string>() : shown(first);
  const std::string tagger = schema.tagger_class();
  std::vector<std::string_view> known = {schema.classifier_class, tagger, schema.encoder_class,
                                         schema.masked_lm_class};
  known.insert(known.end(), schema.other_classes.begin(), schema.other_classes.end());
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    fields.fail("architectures",
                fmt::format("is \"{}\", this version imports {}", name, join(known, ", ")));
  }
  return name;
}

// Each of these changes what the network computes.
void refuse_other_networks(const JsonFields& fields, const Json& json) {
  expect_text(fields, "position_embedding_type", "absolute");
  for (const char* key : {"is_decoder", "add_cross_attention", "is_encoder_decoder"}) {
    if (fields.boolean_or(key, false))
      fields.fail(key, "is true, only plain encoders are imported");
  }
  if (json.contains("headroom") && json.at("headroom").contains("stored")) {
    fields.fail("headroom", "has stored sizes: a compact checkpoint already, which runs as it is");
  }
  for (const char* key : {"pruned_heads", "quantization_config"}) {
    if (json.contains(key) && !json.at(key).empty()) {
      fields.fail(key, "is set, only whole, unquantised models are imported");
    }
  }
}

std::vector<std::string> numbered_labels(int64_t count) {
  std::vector<std::string> labels;
  for (int64_t i = 0; i < count; ++i) labels.push_back(fmt::format("LABEL_{}", i));
  return labels;
}

int64_t label_count(const JsonFields& fields) {
  if (fields.has("id2label")) return static_cast<int64_t>(fields.object("id2label").size());
  return fields.integer_or("num_labels", 2, 1, max_labels);
}

// Transformers leaves id2label out where it is the default, LABEL_0 and LABEL_1.
std::vector<std::string> read_label_names(const JsonFields& fields, Task task) {
  const bool counted = fields.has("num_labels");
  const int64_t count = fields.integer_or("num_labels", 2, 1, max_labels);
  std::vector<std::string> labels =
      fields.has("id2label") ? read_labels(fields, names_labels(task)) : numbered_labels(count);
  if (counted && static_cast<int64_t>(labels.size()) != count) {
    fields.fail("num_labels", fmt::format("is {}, but id2label has {}", count, labels.size()));
  }
  return labels;
}

// One output of a classifier is a score: of pairs, unless the model was trained as a regression.
Task classifier_task(const JsonFields& fields) {
  const bool several = label_count(fields) > 1;
  const std::string problem = fields.text_or("problem_type", "single_label_classification");
  if (problem == "multi_label_classification" && several) return Task::multilabel;
  if (problem == "regression" && !several) return Task::regress;
  if (problem == "single_label_classification") return several ? Task::classify : Task::rerank;
  fields.fail("problem_type",
              fmt::format("is \"{}\" with {} labels, this version knows "
                          "single_label_classification, multi_label_classification of several "
                          "labels and regression of one",
                          problem, label_count(fields)));
}

Task read_task(const JsonFields& fields, const std::string& architecture,
               const ModelSchema& schema) {
  if (architecture == schema.classifier_class) return classifier_task(fields);
  return architecture == schema.tagger_class() ? Task::tag : Task::encoder;
}

void note_other_dropouts(const JsonFields& fields, const ModelSchema& schema, HfConfig& read) {
  for (const std::string_view key : {schema.classifier_dropout_key, schema.attention_dropout_key}) {
    const double own = fields.number_or(key, read.config.dropout, 0.0, 1.0);
    if (own == read.config.dropout) continue;
    read.notes.push_back(fmt::format("{} = {} is not kept: training here has one dropout, {}", key,
                                     own, read.config.dropout));
  }
}

// Transformers takes a null theta of ModernBERT's local layers for that of the others, and one that
// is not there for its default.
Json said_keys(const Json& json) {
  Json said = without_nulls(json);
  constexpr const char* local = "local_rope_theta";
  constexpr const char* global = "global_rope_theta";
  if (json.contains(local) && !said.contains(local) && said.contains(global)) {
    said[local] = said[global];
  }
  return said;
}

}  // namespace

HfConfig read_hf_config(const Json& given) {
  const Json json = said_keys(given);
  const JsonFields fields(json, ErrorCode::bad_model, "config.json");
  HfConfig read;
  const ModelSchema& schema = read_family(fields);
  refuse_other_networks(fields, json);
  read.architecture = read_architecture(fields, schema);
  ModelConfig& config = read.config;
  config.task = read_task(fields, read.architecture, schema);
  config.shape = read_shape(fields, schema);
  config.shape.readout = readout_of(config.task);
  if (config.has_labels()) config.labels = read_label_names(fields, config.task);
  config.shape.labels = static_cast<int64_t>(config.labels.size());
  config.dropout = read_dropout(fields, schema);
  config.layer_norm_eps = read_layer_norm_eps(fields, schema);
  config.tokenizer = TokenizerKind::wordpiece;
  note_other_dropouts(fields, schema, read);
  return read;
}

}  // namespace headroom
