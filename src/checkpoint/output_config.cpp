#include "checkpoint/output_config.h"

#include <fmt/format.h>

#include "text/pipeline/base64.h"

namespace headroom {
namespace {

constexpr size_t most_prompts = 1000;

template <typename Enum, size_t N>
Enum named(const JsonFields& fields, std::string_view key, const EnumTable<Enum, N>& table) {
  const std::string name = fields.text(key);
  if (const auto value = table.find(name)) return *value;
  fields.fail(key, fmt::format("is \"{}\", this version knows: {}", name, table.list()));
}

VectorConfig vector_from_json(const JsonFields& own, ModelShape& shape) {
  VectorConfig vector;
  vector.pooling = named(own, "pooling", pooling_table);
  vector.normalize = own.boolean_or("normalize", true);
  if (own.has("dense")) {
    const JsonFields dense(own.object("dense"), ErrorCode::bad_model, "config.json headroom.dense");
    shape.dense = dense.integer("width", 1, 65536);
    vector.activation = named(dense, "activation", dense_activation_table);
  }
  if (own.has("prompts")) {
    const Json& prompts = own.object("prompts");
    if (prompts.size() > most_prompts) {
      own.fail("prompts",
               fmt::format("has {} entries, at most {} are read", prompts.size(), most_prompts));
    }
    for (const auto& [name, prompt] : prompts.items()) {
      if (!prompt.is_string()) own.fail("prompts", fmt::format("needs a string under {}", name));
      vector.prompts[name] = prompt.get<std::string>();
    }
  }
  vector.default_prompt = own.text_or("default_prompt", "");
  if (!vector.default_prompt.empty() && !vector.prompts.contains(vector.default_prompt)) {
    own.fail("default_prompt",
             fmt::format("is \"{}\", which is no name in prompts", vector.default_prompt));
  }
  return vector;
}

std::vector<double> thresholds_from_json(const JsonFields& own, const ModelShape& shape) {
  std::vector<double> thresholds;
  for (const Json& value : own.array("thresholds")) {
    if (!value.is_number() || !(value >= 0.0 && value <= 1.0)) {
      own.fail("thresholds", fmt::format("holds {}, expected numbers from 0 to 1", shown(value)));
    }
    thresholds.push_back(value.get<double>());
  }
  if (static_cast<int64_t>(thresholds.size()) != shape.labels) {
    own.fail("thresholds",
             fmt::format("has {} values for {} labels", thresholds.size(), shape.labels));
  }
  return thresholds;
}

std::vector<ScoreCalibration> calibration_from_json(const JsonFields& own) {
  std::vector<ScoreCalibration> fitted;
  for (const Json& entry : own.array("calibration")) {
    if (!entry.is_object()) own.fail("calibration", fmt::format("holds {}", shown(entry)));
    const JsonFields fields(entry, ErrorCode::bad_model, "config.json headroom.calibration");
    fitted.push_back({fields.number("budget", 1e-9, 1.0), fields.number("temperature", 1e-6, 1e6),
                      fields.number("offset", -1e6, 1e6), fields.number_or("lexical", 0, 0, 1e6)});
    if (fitted.size() > 1 && fitted.back().budget <= fitted[fitted.size() - 2].budget) {
      fields.fail("budget", "does not ascend");
    }
  }
  return fitted;
}

TokenBm25 lexical_from_json(const JsonFields& own, const ModelShape& shape) {
  const JsonFields fields(own.object("lexical"), ErrorCode::bad_model,
                          "config.json headroom.lexical");
  TokenBm25 lexical;
  lexical.separator = static_cast<int32_t>(fields.integer("separator", 0, shape.vocabulary - 1));
  lexical.mean_tokens = fields.number("mean_tokens", 1, 1e6);
  const std::string rarity = base64_decoded(fields.text("rarity"), fields, "rarity");
  if (static_cast<int64_t>(rarity.size()) != shape.vocabulary) {
    fields.fail("rarity",
                fmt::format("has {} tokens, the model {}", rarity.size(), shape.vocabulary));
  }
  lexical.rarity.assign(rarity.begin(), rarity.end());
  return lexical;
}

Json lexical_to_json(const TokenBm25& lexical) {
  return {{"separator", lexical.separator},
          {"mean_tokens", lexical.mean_tokens},
          {"rarity", base64_encoded(std::string(lexical.rarity.begin(), lexical.rarity.end()))}};
}

Json calibration_to_json(const ScoreCalibration& at) {
  Json json = {{"budget", at.budget}, {"temperature", at.temperature}, {"offset", at.offset}};
  if (at.lexical != 0) json["lexical"] = at.lexical;
  return json;
}

}  // namespace

void output_to_json(const OutputConfig& output, Task task, const ModelShape& shape, Json& own) {
  if (task == Task::embed) {
    const VectorConfig& vector = output.vector;
    own["pooling"] = pooling_table.name(vector.pooling);
    own["normalize"] = vector.normalize;
    if (shape.dense > 0) {
      own["dense"] = {{"width", shape.dense},
                      {"activation", dense_activation_table.name(vector.activation)}};
    }
    if (!vector.prompts.empty()) own["prompts"] = vector.prompts;
    if (!vector.default_prompt.empty()) own["default_prompt"] = vector.default_prompt;
  }
  if (!output.thresholds.empty()) own["thresholds"] = output.thresholds;
  for (const ScoreCalibration& each : output.calibration) {
    own["calibration"].push_back(calibration_to_json(each));
  }
  if (output.lexical) own["lexical"] = lexical_to_json(*output.lexical);
}

OutputConfig output_from_json(const JsonFields& own, Task task, ModelShape& shape) {
  OutputConfig output;
  if (task == Task::embed) output.vector = vector_from_json(own, shape);
  if (task == Task::multilabel && own.has("thresholds")) {
    output.thresholds = thresholds_from_json(own, shape);
  }
  if (own.has("calibration")) output.calibration = calibration_from_json(own);
  if (task == Task::rerank && own.has("lexical")) output.lexical = lexical_from_json(own, shape);
  for (const ScoreCalibration& each : output.calibration) {
    if (each.lexical != 0 && !output.lexical) {
      own.fail("calibration", "weighs BM25, of which headroom.lexical is missing");
    }
  }
  return output;
}

}  // namespace headroom
