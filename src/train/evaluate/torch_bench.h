// Latency of the torch engine, dense and sliced (base/interleaved.h says how it is timed).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/progress.h"
#include "budget/bench_cell.h"

namespace headroom {
inline namespace train {

// A checkpoint's weights at its own selections.
std::vector<BenchCell> bench_checkpoint(const std::filesystem::path& model,
                                        const BenchSettings& settings, ProgressSink& progress);

// Fresh weights of a shape at given selections: time does not depend on the values.
std::vector<BenchCell> bench_shape(const ModelShape& shape,
                                   const std::function<Selection(double)>& select,
                                   const BenchSettings& settings, ProgressSink& progress);

}  // namespace train
}  // namespace headroom
