// The families that this version knows; families.cpp has the table.
#pragma once

#include <string>
#include <string_view>

#include "families/schema.h"

namespace headroom {

const ModelSchema& schema_of(const ModelShape& shape);

// By config.json's model_type; null when it is none of ours.
const ModelSchema* find_schema(std::string_view model_type);

std::string known_families();  // "bert, distilbert, ...", for messages

}  // namespace headroom
