// Stands in for peer_bench.cpp in headroom-train.
#include "base/error.h"
#include "cli/engines/peer_bench.h"

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

}  // namespace headroom
