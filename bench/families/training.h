// Families trained from random weights, dense and nested: what nested training costs in accuracy.
#pragma once

#include <filesystem>

#include "base/json.h"

namespace headroom {

// One object for each training: family, method, seed, and the test accuracy at each budget. Shapes
// and tokenizers are those of roberta-cls, modernbert-cls and deberta-v2-cls below `models`; rows
// are AG News's, below `data_dir`.
Json train_families(const std::filesystem::path& models, const std::filesystem::path& data_dir);

}  // namespace headroom
