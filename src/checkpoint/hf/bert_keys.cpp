#include "checkpoint/hf/bert_keys.h"

#include <fmt/format.h>

#include <set>

namespace headroom {

void expect_text(const JsonFields& fields, std::string_view key, std::string_view only) {
  if (fields.text_or(key, std::string(only)) != only) {
    fields.fail(key, fmt::format("is \"{}\", expected \"{}\"", fields.text(key), only));
  }
}

std::vector<std::string> read_labels(const JsonFields& fields) {
  const Json& map = fields.object("id2label");
  std::vector<std::string> labels;
  for (size_t i = 0; i < map.size(); ++i) {
    const auto entry = map.find(std::to_string(i));
    if (entry == map.end() || !entry->is_string()) {
      fields.fail("id2label", fmt::format("needs a string under \"{}\"", i));
    }
    labels.push_back(entry->get<std::string>());
  }
  if (labels.size() < 2) fields.fail("id2label", "needs at least two labels");
  const std::set<std::string> distinct(labels.begin(), labels.end());
  if (distinct.size() != labels.size()) fields.fail("id2label", "has a label twice");
  return labels;
}

ModelShape read_bert_shape(const JsonFields& fields) {
  ModelShape shape;
  shape.layers = fields.integer("num_hidden_layers", 1, 128);
  shape.width = fields.integer("hidden_size", 1, 65536);
  shape.heads = fields.integer("num_attention_heads", 1, 1024);
  shape.ffn = fields.integer("intermediate_size", 1, 1 << 20);
  shape.vocabulary = fields.integer("vocab_size", 5, 10'000'000);
  shape.positions = fields.integer("max_position_embeddings", 2, 1 << 20);
  shape.token_types = fields.integer_or("type_vocab_size", 2, 1, 16);
  if (shape.width % shape.heads != 0) {
    fields.fail("hidden_size", fmt::format("is {}, not a multiple of num_attention_heads = {}",
                                           shape.width, shape.heads));
  }
  return shape;
}

double read_dropout(const JsonFields& fields) {
  return fields.number_or("hidden_dropout_prob", 0.1, 0.0, 0.99);
}

double read_layer_norm_eps(const JsonFields& fields) {
  return fields.number_or("layer_norm_eps", 1e-12, 0.0, 1.0);
}

}  // namespace headroom
