// A checkpoint with random weights of any shape, for measurements: speed does not depend on them.
#pragma once

#include <filesystem>

#include "budget/shape.h"

namespace headroom {

// A nested model whose budget governs heads and FFN.
void write_random_checkpoint(const std::filesystem::path& directory, ModelShape shape);

}  // namespace headroom
