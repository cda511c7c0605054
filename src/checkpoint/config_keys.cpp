#include "checkpoint/config_keys.h"

#include <fmt/format.h>

#include <set>

#include "families/families.h"

namespace headroom {

void expect_text(const JsonFields& fields, std::string_view key, std::string_view only) {
  if (fields.text_or(key, std::string(only)) != only) {
    fields.fail(key, fmt::format("is \"{}\", expected \"{}\"", fields.text(key), only));
  }
}

namespace {

ActivationKind read_activation(const JsonFields& fields, const ModelSchema& schema) {
  const std::string name = fields.text_or(schema.activation_key, "gelu");
  if (const auto kind = activation_table.find(name)) return *kind;
  fields.fail(schema.activation_key,
              fmt::format("is \"{}\", this version knows: {}", name, activation_table.list()));
}

}  // namespace

std::vector<std::string> read_labels(const JsonFields& fields, bool several) {
  const Json& map = fields.object("id2label");
  std::vector<std::string> labels;
  for (size_t i = 0; i < map.size(); ++i) {
    const auto entry = map.find(std::to_string(i));
    if (entry == map.end() || !entry->is_string()) {
      fields.fail("id2label", fmt::format("needs a string under \"{}\"", i));
    }
    labels.push_back(entry->get<std::string>());
  }
  if (several && labels.size() < 2) fields.fail("id2label", "needs at least two labels");
  if (!several && labels.size() != 1) {
    fields.fail("id2label",
                fmt::format("has {} labels, a model of one score has one", labels.size()));
  }
  const std::set<std::string> distinct(labels.begin(), labels.end());
  if (distinct.size() != labels.size()) fields.fail("id2label", "has a label twice");
  return labels;
}

const ModelSchema& read_family(const JsonFields& fields) {
  const std::string name = fields.text_or("model_type", "bert");
  const ModelSchema* schema = find_schema(name);
  if (schema == nullptr) {
    fields.fail("model_type",
                fmt::format("is \"{}\", this version knows: {}", name, known_families()));
  }
  return *schema;
}

int64_t size_in_file(const ModelShape& shape, const SizeKey& key) {
  if (key.size == &ModelShape::positions) return shape.position_rows();
  if (key.size == &ModelShape::embedding && key.fallback < 0) return shape.embedding_width();
  return shape.*key.size;
}

ModelShape read_shape(const JsonFields& fields, const ModelSchema& schema) {
  ModelShape shape;
  shape.family = schema.model_type;
  shape.token_types = 0;
  shape.padding_position = schema.padding_position;
  std::string_view width_key, heads_key, positions_key;
  for (const SizeKey& each : schema.sizes) {
    shape.*each.size = each.fallback < 0
                           ? fields.integer(each.key, each.least, each.most)
                           : fields.integer_or(each.key, each.fallback, each.least, each.most);
    if (each.size == &ModelShape::width) width_key = each.key;
    if (each.size == &ModelShape::heads) heads_key = each.key;
    if (each.size == &ModelShape::positions) positions_key = each.key;
  }
  if (shape.embedding == shape.width) shape.embedding = 0;
  shape.positions -= shape.padding_position + 1;
  if (shape.positions < 2) {
    fields.fail(positions_key, fmt::format("leaves {} tokens behind the row of the padding token",
                                           shape.positions));
  }
  shape.activation = read_activation(fields, schema);
  if (shape.width % shape.heads != 0) {
    fields.fail(width_key, fmt::format("is {}, not a multiple of {} = {}", shape.width, heads_key,
                                       shape.heads));
  }
  if (schema.read_network != nullptr) schema.read_network(fields, shape);
  return shape;
}

double read_dropout(const JsonFields& fields, const ModelSchema& schema) {
  return fields.number_or(schema.dropout_key, 0.1, 0.0, 0.99);
}

double read_layer_norm_eps(const JsonFields& fields, const ModelSchema& schema) {
  if (schema.layer_norm_eps_key.empty()) return 1e-12;
  return fields.number_or(schema.layer_norm_eps_key, 1e-12, 0.0, 1.0);
}

}  // namespace headroom
