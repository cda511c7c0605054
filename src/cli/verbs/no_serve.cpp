// headroom serve and key in a program that was built without Boost, prometheus-cpp or OpenSSL.
#include "cli/app.h"
#include "cli/verb.h"

namespace headroom {
namespace {

int left_out(const char* verb, int argc, char** argv) {
  return report_error(Error(ErrorCode::usage, verb,
                            "this program was built without the server: install libboost-dev, "
                            "prometheus-cpp-dev and libssl-dev, then configure and build again"),
                      json_requested(argc, argv));
}

}  // namespace

int run_key(int argc, char** argv) {
  return left_out("key", argc, argv);
}

int run_serve(int argc, char** argv) {
  return left_out("serve", argc, argv);
}

}  // namespace headroom
