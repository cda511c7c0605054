#include "server/telemetry/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

namespace headroom {
namespace {

constexpr size_t most_waiting = 1 << 20;  // bytes of lines
constexpr std::chrono::milliseconds last_patience{1000};
constexpr int poll_ms = 50;

std::string value_text(const Json& value) {
  std::string dumped = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (!value.is_string()) return dumped;
  // Quotes only where they are needed; anything that could forge another line is escaped by them.
  const bool plain = dumped.find_first_of(" \\=") == std::string::npos && dumped.size() > 2;
  return plain ? dumped.substr(1, dumped.size() - 2) : dumped;
}

}  // namespace

ServerLog::ServerLog(int descriptor, bool json)
    : descriptor_(descriptor), json_(json), writer_([this] { write_lines(); }) {}

ServerLog::~ServerLog() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  something_to_do_.notify_one();
  writer_.join();
}

std::string ServerLog::line(std::string_view name, const Json& facts) const {
  const std::string time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  if (json_) {
    Json object;
    object["time"] = time;
    object["event"] = name;
    object.update(facts);
    return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  std::string text = fmt::format("{} {}", time, name);
  for (const auto& [key, value] : facts.items()) {
    text += fmt::format(" {}={}", key, value_text(value));
  }
  return text + "\n";
}

void ServerLog::event(std::string_view name, const Json& facts) noexcept {
  try {
    const std::string text = line(name, facts);
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + text.size() > most_waiting) {
      ++dropped_;
    } else {
      waiting_ += text;
    }
  } catch (const std::exception&) {
    ++dropped_;
  }
  something_to_do_.notify_one();
}

void ServerLog::write_lines() {
  int64_t told = 0;  // dropped lines
  while (true) {
    std::string lines;
    {
      std::unique_lock lock(mutex_);
      something_to_do_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      lines.swap(waiting_);
    }
    const int64_t dropped = dropped_;
    try {
      if (dropped > told) lines += line("log_lines_dropped", {{"lines", dropped - told}});
      told = dropped;
    } catch (const std::bad_alloc&) {  // told of with the next lines
    }
    // What the reader does not take is lost: at the end for good, or because it has gone.
    if (!write(lines)) dropped_ += std::count(lines.begin(), lines.end(), '\n');
  }
}

// False when the reader has gone, or does not read when the log is to end. Pipes that poll() calls
// writable take this much without blocking, and the descriptor is not made non-blocking, which
// would hold for everybody who shares it.
bool ServerLog::write(std::string_view text) const {
  using Clock = std::chrono::steady_clock;
  Clock::time_point stop_seen = Clock::time_point::max();
  while (!text.empty()) {
    if (stopping_ && stop_seen == Clock::time_point::max()) stop_seen = Clock::now();
    if (stopping_ && Clock::now() - stop_seen > last_patience) return false;
    pollfd ready{descriptor_, POLLOUT, 0};
    const int found = poll(&ready, 1, poll_ms);
    if (found == 0 || (found < 0 && errno == EINTR)) continue;
    const ssize_t put = ::write(descriptor_, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
    if (put < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (put > 0) text.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

}  // namespace headroom
