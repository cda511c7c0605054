// Events of a running server, one line each on standard error: as text or, with --json, as JSON. A
// thread of its own writes them, so that whoever reads the log slowly, or not at all, delays
// nobody: lines that find no room are dropped, counted and told of.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/json.h"

namespace headroom {

class ServerLog {
 public:
  // Writes to `descriptor`, which stays open longer than the log. The process ignores SIGPIPE.
  ServerLog(int descriptor, bool json);
  // Gives the reader a second to take what is left.
  ~ServerLog();
  ServerLog(const ServerLog&) = delete;
  ServerLog& operator=(const ServerLog&) = delete;

  // "2026-11-15T10:00:00Z model_loaded name=news budgets=8". `facts` is an object. Any thread.
  // Never waits for the reader, and drops the line when there is no memory.
  void event(std::string_view name, const Json& facts = Json::object()) noexcept;

  int64_t dropped() const { return dropped_; }  // lines, since the start

 private:
  std::string line(std::string_view name, const Json& facts) const;
  void write_lines();
  bool write(std::string_view text) const;

  const int descriptor_;
  const bool json_;
  std::atomic<int64_t> dropped_ = 0;
  std::mutex mutex_;
  std::condition_variable something_to_do_;
  std::string waiting_;  // complete lines
  std::atomic<bool> stopping_ = false;
  std::thread writer_;
};

}  // namespace headroom
