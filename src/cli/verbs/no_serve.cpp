// headroom serve in a program that was built without Boost, prometheus-cpp or OpenSSL.
#include "cli/app.h"
#include "cli/verb.h"

namespace headroom {

int run_serve(int argc, char** argv) {
  return report_error(Error(ErrorCode::usage, "serve",
                            "this program was built without the server: install libboost-dev, "
                            "prometheus-cpp-dev and libssl-dev, then configure and build again"),
                      json_requested(argc, argv));
}

}  // namespace headroom
