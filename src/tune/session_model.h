// A session of our engine as tune() asks it.
#pragma once

#include "engine/session.h"
#include "tune/tune.h"

namespace headroom {

// `session` runs a model without a policy and outlives what is returned.
TunableModel tunable_model(Session& session);

}  // namespace headroom
