// The door itself, for the module that has it and for tests.
#pragma once

#include <memory>

#include "server/grpc/door.h"

namespace headroom {

// Listens. `handler` outlives the door. Throws ErrorCode::runtime when it cannot.
std::unique_ptr<GrpcDoor> make_grpc_door(HttpHandler& handler, const GrpcSettings& settings);

}  // namespace headroom
