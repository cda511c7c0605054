// Stands in for peer_bench.cpp and text_bench.cpp in headroom-train.
#include "base/error.h"
#include "cli/engines/peer_bench.h"
#include "cli/engines/text_bench.h"

namespace headroom {

Json to_json(const ComparedCell& cell) {
  return to_json(cell.cell);
}

std::vector<ComparedCell> bench_beside_peer(const std::filesystem::path& /*model*/,
                                            const BenchSettings& /*settings*/,
                                            const PeerSettings& /*peer*/,
                                            ProgressSink& /*progress*/) {
  throw Error(ErrorCode::usage, "bench", "--peer and --texts need --engine native");
}

std::vector<BenchCell> bench_texts(const std::filesystem::path& /*model*/,
                                   const ModelConfig& /*config*/, const BenchSettings& /*settings*/,
                                   std::vector<Budget> /*budgets*/, const std::string& /*file*/,
                                   ProgressSink& /*progress*/) {
  throw Error(ErrorCode::usage, "bench", "budgets auto and 0 need --engine native");
}

}  // namespace headroom
