// Others on the same rows, for the picture of --budget auto: ONNX Runtime with the full model in
// fp32 and int8, and fastText trained on the same texts.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "headroom/types.h"

namespace headroom {

struct Peer {
  std::string name;
  double accuracy = 0;                    // on the test rows
  std::function<double(size_t)> time_ms;  // of the timed texts in batches of this size
};

struct PeerTask {
  std::filesystem::path model;      // a checkpoint, which ONNX Runtime runs at budget 1
  std::filesystem::path directory;  // where scripts/install-peers put ONNX Runtime
  TextDataset train;                // fastText's
  TextDataset test;
  std::vector<Tokens> test_inputs;  // the model's
  std::vector<size_t> timed;        // test rows
};

// Those that are installed; standard error names what is not. ONNX Runtime measures its own forward
// pass, without tokenising; fastText's time is that of a stream of texts, without loading.
std::vector<Peer> find_peers(const PeerTask& task);

}  // namespace headroom
