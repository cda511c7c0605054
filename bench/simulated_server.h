// The server's own schedule and controller before simulated workers: time jumps from event to
// event, and work takes what the latency table says times a factor that was measured on real work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/schedule/schedule.h"
#include "serving_inputs.h"
#include "serving_load.h"

namespace headroom {

using namespace server;

struct ServingArm {
  std::string name;
  double least = 1;  // the budgets that the controller may take
  double most = 1;
  bool fixed = false;  // `most` for every text, whatever its deadline
};

struct ServingRun {
  int workers = 2;
  double slo_ms = 20;
  double speed = 1;  // of this replica: time over what the table says
  uint64_t seed = 1;
  ControllerSettings controller;
};

struct ServingResult {
  int64_t offered = 0;
  int64_t refused = 0;
  int64_t in_time = 0;
  int64_t budget_changes = 0;  // batches at another budget than the one before
  double budgets = 0;          // summed over the answered
  double accuracies = 0;
  double right_in_time = 0;     // summed over those in time
  std::vector<float> times_ms;  // of the answered

  void add(const ServingResult& other);
};

ServingResult simulate(const ServingInputs& inputs, const ServingArm& arm, const ServingLoad& load,
                       const ServingRun& run);

}  // namespace headroom
