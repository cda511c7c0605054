// What a running server reads again when it is told to: certificates, keys. A thread of its own
// does it, because files may be slow and sockets may not wait.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace headroom::server {

class Reloads {
 public:
  struct Part {
    std::string name;              // "certificate"
    std::function<void()> reload;  // throws when it keeps what was there
  };
  // Why `part` was not reloaded; nothing: it was.
  using Report = std::function<void(const std::string& part, std::optional<std::string> why)>;

  Reloads(std::vector<Part> parts, Report report);
  // Finishes what is under way.
  ~Reloads();
  Reloads(const Reloads&) = delete;
  Reloads& operator=(const Reloads&) = delete;

  // Reloads every part, one after the other, soon. Never waits.
  void request();

 private:
  void work();

  const std::vector<Part> parts_;
  const Report report_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool requested_ = false;
  bool stopping_ = false;
  std::thread thread_;  // last: it sees the rest complete
};

}  // namespace headroom::server
