// bench beside another engine: every precision, every budget and the peer in the same rounds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.h"
#include "budget/bench_cell.h"

namespace headroom {

struct PeerSettings {
  std::string peer;                                // "onnxruntime", or empty: nobody
  std::vector<std::string> precisions = {"fp32"};  // the peer's: fp32, int8
  std::filesystem::path directory;                 // where the peer is installed
  std::string texts;  // a text a line; the first most_texts make a batch. Empty: none
  static constexpr size_t most_texts = 32;
};

// Our time over the peer's at the same budget, from same-round ratios.
struct PeerRatio {
  std::string precision;  // the peer's
  double median = 1;
  double p10 = 1;
  double p90 = 1;
  double score_difference = 0;  // the largest between our probabilities and the peer's
};

struct ComparedCell {
  BenchCell cell;                 // of a batch of texts: `tokens` is the mean length
  int64_t longest = 0;            // what the peer pads to; cell.tokens unless lengths differ
  std::vector<PeerRatio> ratios;  // one per precision of the peer; none in the peer's own cells
};

Json to_json(const ComparedCell& cell);

// Throws ErrorCode::usage when the linked engine has no peers, or the peer is not installed.
std::vector<ComparedCell> bench_beside_peer(const std::filesystem::path& model,
                                            const BenchSettings& settings, const PeerSettings& peer,
                                            ProgressSink& progress);

}  // namespace headroom
