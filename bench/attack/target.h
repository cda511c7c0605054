// A server under attack: a process of its own on a free port, and plain exchanges with it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::attack {

struct Response {
  int status = 0;  // 0: the connection was closed, or nothing came in time
  std::string text;
  double seconds = 0;

  bool holds(std::string_view part) const { return text.find(part) != std::string::npos; }
};

// A connection from 127.0.0.1.
class Client {
 public:
  explicit Client(int port, double patience_seconds = 5);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return socket_ >= 0; }
  void send(std::string_view bytes) const;
  Response receive() const;
  Response ask(std::string_view bytes) const;

 private:
  int socket_;
};

Response ask(int port, std::string_view bytes, double patience_seconds = 5);
std::string get(std::string_view path, std::string_view fields = "");
std::string post(std::string_view path, std::string_view body);

class Target {
 public:
  // headroom serve --port 0 --json --model news=MODEL ARGUMENTS, its log to the descriptor `log`,
  // or nowhere. Returns when it listens, or has ended.
  Target(const std::string& program, const std::string& model,
         const std::vector<std::string>& arguments, int log = -1);
  // Any program that says {"port": N} when it listens.
  explicit Target(const std::vector<std::string>& words, int log = -1);
  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  int port() const { return port_; }  // 0: it did not start
  bool alive();
  // Its exit code once it has ended, 128 + N after signal N; nothing while it runs after `seconds`.
  std::optional<int> wait(double seconds);
  void send_signal(int signal) const;
  int64_t memory_kib(const char* line) const;  // of /proc/PID/status: "VmRSS", "VmHWM", "VmSize"
  void limit(int resource, uint64_t value) const;

 private:
  pid_t process_ = -1;
  int port_ = 0;
  std::optional<int> status_;
};

// The exit code of a program that is expected to end at once; -1: it still ran after `seconds`.
// `environment` are further NAME=value.
int exit_code(const std::vector<std::string>& words, const std::vector<std::string>& environment,
              double seconds);

}  // namespace headroom::attack
