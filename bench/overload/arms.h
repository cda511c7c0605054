// The servers that are asked for more than they can, and how each is started.
#pragma once

#include <string>
#include <vector>

namespace headroom::overload {

struct ArmOptions {
  std::string server;  // build/bin/headroom
  std::string model;   // calibrated
  std::string tuned;   // a copy that `headroom tune` fitted a ladder for; empty: without that arm
  std::string tuning;  // how, for the page
  std::string onnx;    // the model as ONNX
  std::string peer_server;  // onnxruntime-server.js; empty: without ONNX Runtime
  double deadline_ms = 20;
  int threads = 2;
};

struct Arm {
  std::string name;
  std::string title;
  std::string about;
  std::vector<std::string> words;  // that start it
  bool peer = false;               // asked with token ids, and its own capacity is the measure
};

// `labels` are the model's, for the one that does not read its config.json.
std::vector<Arm> arms_of(const ArmOptions& options, const std::vector<std::string>& labels);

}  // namespace headroom::overload
