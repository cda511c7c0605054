// Events of a running server, one line each on standard error: as text or, with --json, as JSON.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "base/json.h"

namespace headroom {

class ServerLog {
 public:
  ServerLog(FILE* stream, bool json) : stream_(stream), json_(json) {}

  // "2026-11-15T10:00:00Z model_loaded name=news budgets=8". `facts` is an object. Any thread.
  void event(std::string_view name, const Json& facts = Json::object());

 private:
  FILE* stream_;
  bool json_;
  std::mutex mutex_;
};

}  // namespace headroom
