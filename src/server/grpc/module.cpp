// What headroom-grpc.so tells of itself.
#include "base/version.h"
#include "server/grpc/server.h"

extern "C" {
extern const headroom::GrpcModule headroom_grpc_module;
const headroom::GrpcModule headroom_grpc_module = {
    headroom::version(),
    [](headroom::HttpHandler& handler, const headroom::GrpcSettings& settings) {
      return headroom::make_grpc_door(handler, settings).release();
    }};
}
