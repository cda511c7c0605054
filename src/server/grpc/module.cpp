// What headroom-grpc.so tells of itself.
#include "server/grpc/server.h"

extern "C" {
extern const headroom::GrpcModule headroom_grpc_module;
const headroom::GrpcModule headroom_grpc_module = {
    HEADROOM_VERSION, [](headroom::HttpHandler& handler, const headroom::GrpcSettings& settings) {
      return headroom::make_grpc_door(handler, settings).release();
    }};
}
