// Random weights and texts of any shape, for measurements: speed does not depend on them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/random.h"
#include "budget/shape.h"

namespace headroom {

// A nested model whose budget governs heads and FFN.
void write_random_checkpoint(const std::filesystem::path& directory, ModelShape shape);

// A text of any of the model's words.
std::vector<int32_t> random_ids(Random& random, const ModelShape& shape, int64_t tokens);

}  // namespace headroom
