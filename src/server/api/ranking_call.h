// Candidates of a query on their way to the service and back: "budget":"auto" is two calls, all of
// them at a small budget and then the best at the full one.
#pragma once

#include "server/api/call.h"
#include "server/api/router.h"

namespace headroom::server {

// As submit_call(); `call` has the query's pairs as its inputs. Where the second round is refused,
// the first one's answers are given, as lowered.
Abandon submit_ranking(Backend& backend, const ServedModel& model, Call call,
                       const ApiRequest& request, FormatAnswer format, Reply reply);

}  // namespace headroom::server
