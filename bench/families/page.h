// docs/results/families.md from families.json: equality, speed, tokenizers, training.
#pragma once

#include <string>

#include "base/json.h"

namespace headroom {

std::string families_page(const Json& results);

}  // namespace headroom
