#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/version.h"
#include "server/grpc/door.h"

namespace headroom {
namespace {

// ../lib/headroom from the program, in a build folder as in /usr.
std::filesystem::path module_path() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto prefix = error ? std::filesystem::path("/usr") : self.parent_path().parent_path();
  return prefix / "lib" / "headroom" / "headroom-grpc.so";
}

[[noreturn]] void missing(const std::filesystem::path& path, std::string_view why) {
  throw Error(
      ErrorCode::usage, "serve --grpc-port",
      fmt::format("{} cannot be loaded ({}): install the package headroom-grpc, or "
                  "libgrpc++-dev and protobuf-compiler-grpc, then configure and build again",
                  path.string(), why));
}

}  // namespace

std::unique_ptr<GrpcDoor> open_grpc_door(HttpHandler& handler, const GrpcSettings& settings) {
  const std::filesystem::path path = module_path();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays until the program ends
  if (library == nullptr) {
    missing(path, std::filesystem::exists(path) ? dlerror() : "there is no such file");
  }
  const auto* module = static_cast<const GrpcModule*>(dlsym(library, grpc_module_symbol));
  if (module == nullptr || std::string_view(module->version) != version()) {
    missing(path, "it is of another version than this program");
  }
  return std::unique_ptr<GrpcDoor>(module->open(handler, settings));
}

}  // namespace headroom
