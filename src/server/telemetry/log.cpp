#include "server/telemetry/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace headroom {
namespace {

std::string value_text(const Json& value) {
  std::string dumped = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (!value.is_string()) return dumped;
  // Quotes only where they are needed; anything that could forge another line is escaped by them.
  const bool plain = dumped.find_first_of(" \\=") == std::string::npos && dumped.size() > 2;
  return plain ? dumped.substr(1, dumped.size() - 2) : dumped;
}

}  // namespace

void ServerLog::event(std::string_view name, const Json& facts) {
  const std::string time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  std::string line;
  if (json_) {
    Json object;
    object["time"] = time;
    object["event"] = name;
    object.update(facts);
    line = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  } else {
    line = fmt::format("{} {}", time, name);
    for (const auto& [key, value] : facts.items()) {
      line += fmt::format(" {}={}", key, value_text(value));
    }
  }
  line += '\n';
  const std::lock_guard lock(mutex_);
  std::fwrite(line.data(), 1, line.size(), stream_);
  std::fflush(stream_);
}

}  // namespace headroom
