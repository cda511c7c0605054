#include "checkpoint/hf/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/join.h"
#include "checkpoint/config_keys.h"

namespace headroom {
namespace {

constexpr int64_t max_labels = 100'000;

// Everything but the classifier becomes a bare encoder: other heads are of no use to one.
std::string read_architecture(const JsonFields& fields, const ModelSchema& schema) {
  if (!fields.has("architectures") || fields.array("architectures").empty()) return "";
  const Json& first = fields.array("architectures")[0];
  std::string name = first.is_string() ? first.get<std::string>() : shown(first);
  std::vector<std::string_view> known = {schema.classifier_class, schema.encoder_class,
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
  expect_text(fields, "problem_type", "single_label_classification");
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

// Transformers leaves id2label out where it is the default, LABEL_0 and LABEL_1.
std::vector<std::string> read_label_names(const JsonFields& fields) {
  const bool counted = fields.has("num_labels");
  const int64_t count = fields.integer_or("num_labels", 2, 1, max_labels);
  if (count == 1 || (fields.has("id2label") && fields.object("id2label").size() == 1)) {
    fields.fail("num_labels", "is 1: a regression model, which has no classes");
  }
  std::vector<std::string> labels =
      fields.has("id2label") ? read_labels(fields) : numbered_labels(count);
  if (counted && static_cast<int64_t>(labels.size()) != count) {
    fields.fail("num_labels", fmt::format("is {}, but id2label has {}", count, labels.size()));
  }
  return labels;
}

void note_other_dropouts(const JsonFields& fields, const ModelSchema& schema, HfConfig& read) {
  for (const std::string_view key : {schema.classifier_dropout_key, schema.attention_dropout_key}) {
    const double own = fields.number_or(key, read.config.dropout, 0.0, 1.0);
    if (own == read.config.dropout) continue;
    read.notes.push_back(fmt::format("{} = {} is not kept: training here has one dropout, {}", key,
                                     own, read.config.dropout));
  }
}

}  // namespace

HfConfig read_hf_config(const Json& json) {
  const JsonFields fields(json, ErrorCode::bad_model, "config.json");
  HfConfig read;
  const ModelSchema& schema = read_family(fields);
  refuse_other_networks(fields, json);
  read.architecture = read_architecture(fields, schema);
  ModelConfig& config = read.config;
  config.task = read.architecture == schema.classifier_class ? Task::classify : Task::encoder;
  config.shape = read_shape(fields, schema);
  if (config.classifies()) config.labels = read_label_names(fields);
  config.shape.labels = static_cast<int64_t>(config.labels.size());
  config.dropout = read_dropout(fields, schema);
  config.layer_norm_eps = read_layer_norm_eps(fields, schema);
  config.tokenizer = TokenizerKind::wordpiece;
  note_other_dropouts(fields, schema, read);
  return read;
}

}  // namespace headroom
