// The keys of config.json that checkpoints and Hugging Face folders share, as the family spells
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "budget/shape.h"
#include "families/schema.h"

namespace headroom {

const ModelSchema& read_family(const JsonFields& fields);  // of model_type; none: BERT
ModelShape read_shape(const JsonFields& fields, const ModelSchema& schema);  // all but the labels
int64_t size_in_file(const ModelShape& shape, const SizeKey& key);  // what read_shape() read
double read_dropout(const JsonFields& fields, const ModelSchema& schema);
double read_layer_norm_eps(const JsonFields& fields, const ModelSchema& schema);
// id2label: at least two, or the one name of a score.
std::vector<std::string> read_labels(const JsonFields& fields, bool several = true);

// Refuses any other text under `key`; a missing key is that text.
void expect_text(const JsonFields& fields, std::string_view key, std::string_view only);

}  // namespace headroom
