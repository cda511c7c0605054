// ONNX Runtime in a process of its own, which runs batches when asked and tells how long each took.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "headroom/types.h"

namespace headroom {

struct PeerRun {
  double milliseconds = 0;      // measured by the peer around the forward pass alone
  double cpu_milliseconds = 0;  // that its process computed meanwhile
  std::vector<float> logits;    // a row of labels per text
};

class OnnxRuntimePeer {
 public:
  // Starts node with onnxruntime-peer.js of `directory`, or python3 with onnxruntime-peer.py where
  // only that is there. Throws ErrorCode::usage, saying how to install them, when neither is.
  explicit OnnxRuntimePeer(const std::filesystem::path& directory);
  ~OnnxRuntimePeer();
  OnnxRuntimePeer(const OnnxRuntimePeer&) = delete;
  OnnxRuntimePeer& operator=(const OnnxRuntimePeer&) = delete;

  // Numbers to name them by in run(). What the peer refuses throws ErrorCode::runtime.
  int load(const std::filesystem::path& onnx, int threads);
  int add_batch(std::span<const Tokens> inputs);  // padded to the longest, with a mask

  PeerRun run(int session, int batch);

  const std::string& version() const { return version_; }  // of ONNX Runtime, after load()

 private:
  Json ask(const Json& request);
  std::string read_line();

  pid_t process_ = -1;
  int socket_ = -1;
  std::string unread_;
  std::string version_;
};

}  // namespace headroom
