// What a call means for the model that it names: what its texts may spend, and until when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "server/models/served_model.h"
#include "server/schedule/cost_levels.h"
#include "server/schedule/waiting_text.h"
#include "server/service/call.h"
#include "server/service/service_settings.h"

namespace headroom::server {

struct CallTerms {
  std::optional<double> budget;  // exact; none: the controller's choice
  std::optional<double> most;    // of that choice
  bool automatic = false;        // each text climbs the ladder instead
  double arrived_ms = 0;
  double deadline_ms = std::numeric_limits<double>::infinity();
};

// Throws ErrorCode::usage for what the model cannot do, or no call may ask.
CallTerms terms_of(const Call& call, const ServedModel& model, const ServiceSettings& settings,
                   double arrived_ms);

// A text of the call, for the queue. One that has no deadline runs at the most that its model may
// spend: nothing needs to give way.
WaitingText waiting_text(const Call& call, const CallTerms& terms, const ServedModel& model,
                         const CostLevels& levels, size_t index, int64_t tokens);

}  // namespace headroom::server
