// KServe's model repository extension: which models there are, and loading and unloading them.
#pragma once

#include "server/api/router.h"
#include "server/service/model_control.h"

namespace headroom::server {

// `control` outlives the routes; null: this server's models stay, and who asks is told.
std::vector<Route> repository_routes(ModelControl* control);

}  // namespace headroom::server
