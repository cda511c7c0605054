// How long work tells the outside how far it is, without printing: it calls a sink, and whoever
// talks to people (cli/, server/) decides what that looks like.
#pragma once

#include <cstdint>
#include <string>

namespace headroom {

struct ProgressUpdate {
  std::string stage;        // what is being done: "soft stage", "reading agnews"
  int64_t done = 0;         // units finished, this run and earlier ones it resumed from
  int64_t total = 0;        // 0 when unknown
  int64_t resumed_at = 0;   // units that an earlier run had finished (left out of the rate)
  std::string unit;         // "steps", "rows"
  std::string detail;       // "loss 0.412  accuracy 0.913"
  double units_scale = 1;   // rate is shown as scale x units: samples per step
  std::string scaled_unit;  // "samples"
};

class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void update(const ProgressUpdate& update) = 0;  // cheap; called every step
  virtual void note(const std::string& line) = 0;         // a sentence worth keeping on screen
};

// Says nothing; the default of every library call.
class SilentProgress : public ProgressSink {
 public:
  void update(const ProgressUpdate& /*update*/) override {}
  void note(const std::string& /*line*/) override {}
};

}  // namespace headroom
