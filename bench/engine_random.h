// Random weights and texts of any shape, for measurements: speed does not depend on them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/random.h"
#include "base/task.h"
#include "budget/shape.h"

namespace headroom {

// A nested model whose budget governs heads and FFN. Of shape.labels labels; vectors (Task::embed)
// are means of all tokens, and of the model's width.
void write_random_checkpoint(const std::filesystem::path& directory, ModelShape shape,
                             Task task = Task::classify);

// A text of any of the model's words.
std::vector<int32_t> random_ids(Random& random, const ModelShape& shape, int64_t tokens);

}  // namespace headroom
