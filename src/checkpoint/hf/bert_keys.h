// The keys of config.json that our checkpoints share with Hugging Face's BERT folders, with their
// limits and Hugging Face's defaults. All throw the reader's typed error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "budget/shape.h"

namespace headroom {

ModelShape read_bert_shape(const JsonFields& fields);            // labels stay at their default
std::vector<std::string> read_labels(const JsonFields& fields);  // id2label
double read_dropout(const JsonFields& fields);
double read_layer_norm_eps(const JsonFields& fields);

// Refuses any value of `key` but one; a missing key counts as that one.
void expect_text(const JsonFields& fields, std::string_view key, std::string_view only);

}  // namespace headroom
