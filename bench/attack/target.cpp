#include "attack/target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/json.h"
#include "load_socket.h"

namespace headroom::attack {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

timeval patience(double seconds) {
  return {static_cast<time_t>(seconds),
          static_cast<suseconds_t>((seconds - static_cast<time_t>(seconds)) * 1e6)};
}

// The child's side of a fork; does not return.
[[noreturn]] void become(const std::vector<std::string>& words,
                         const std::vector<std::string>& environment, int out, int log) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setsid();  // without a terminal, as a service
  const int nowhere = ::open("/dev/null", O_RDWR);
  dup2(nowhere, STDIN_FILENO);
  dup2(out >= 0 ? out : nowhere, STDOUT_FILENO);
  dup2(log >= 0 ? log : nowhere, STDERR_FILENO);
  close_range(3, ~0U, 0);
  for (const std::string& entry : environment) putenv(const_cast<char*>(entry.c_str()));
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

std::string read_line(int descriptor) {
  std::string line;
  char c = 0;
  while (read(descriptor, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

std::vector<std::string> serve_words(const std::string& program, const std::string& model,
                                     const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {program,  "serve",   "--port",       "0",
                                    "--json", "--model", "news=" + model};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::optional<int> wait_for(pid_t process, double seconds) {
  const auto start = Clock::now();
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (since(start) > seconds) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return code_of(status);
}

}  // namespace

Client::Client(int port, double patience_seconds) : socket_(connect_to(port)) {
  const timeval most = patience(patience_seconds);
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
}

Client::~Client() {
  if (connected()) close(socket_);
}

void Client::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

Response Client::receive() const {
  const auto start = Clock::now();
  Response response;
  char buffer[65'536];
  size_t wanted = std::string::npos;
  while (response.text.size() < wanted) {
    const ssize_t count = recv(socket_, buffer, sizeof(buffer), 0);
    if (count <= 0) break;
    response.text.append(buffer, static_cast<size_t>(count));
    const size_t head = response.text.find("\r\n\r\n");
    if (head == std::string::npos) continue;
    const size_t field = response.text.find("Content-Length: ");
    size_t length = 0;
    if (field < head) {
      std::from_chars(response.text.data() + field + 16, response.text.data() + head, length);
    }
    wanted = head + 4 + length;
  }
  response.seconds = since(start);
  if (response.text.size() > 12) {
    std::from_chars(response.text.data() + 9, response.text.data() + 12, response.status);
  }
  return response;
}

Response Client::ask(std::string_view bytes) const {
  const auto start = Clock::now();
  send(bytes);
  Response response = receive();
  response.seconds = since(start);
  return response;
}

Response ask(int port, std::string_view bytes, double patience_seconds) {
  return Client(port, patience_seconds).ask(bytes);
}

std::string get(std::string_view path, std::string_view fields) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", path, fields);
}

std::string post(std::string_view path, std::string_view body) {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\n\r\n{}",
      path, body.size(), body);
}

Target::Target(const std::string& program, const std::string& model,
               const std::vector<std::string>& arguments, int log)
    : Target(serve_words(program, model, arguments), log) {}

Target::Target(const std::vector<std::string>& words, int log) {
  int out[2];
  if (pipe(out) != 0) throw Error(ErrorCode::runtime, "start a server", "no pipe");
  process_ = fork();
  if (process_ == 0) become(words, {}, out[1], log);
  close(out[1]);
  const std::string line = read_line(out[0]);
  close(out[0]);
  const Json ready = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (ready.is_object()) port_ = ready.value("port", 0);
}

Target::~Target() {
  if (!alive()) return;
  send_signal(SIGKILL);
  wait(10);
}

bool Target::alive() {
  return !wait(0);
}

std::optional<int> Target::wait(double seconds) {
  if (!status_) status_ = wait_for(process_, seconds);
  return status_;
}

void Target::send_signal(int signal) const {
  if (!status_) kill(process_, signal);
}

int64_t Target::memory_kib(const char* line) const {
  std::ifstream status(fmt::format("/proc/{}/status", process_));
  std::string word;
  int64_t value = 0;
  while (status >> word) {
    if (word == std::string(line) + ":") status >> value;
  }
  return value;
}

void Target::limit(int resource, uint64_t value) const {
  const rlimit wanted{value, value};
  prlimit(process_, static_cast<__rlimit_resource>(resource), &wanted, nullptr);
}

int exit_code(const std::vector<std::string>& words, const std::vector<std::string>& environment,
              double seconds) {
  const pid_t process = fork();
  if (process == 0) become(words, environment, -1, -1);
  const std::optional<int> code = wait_for(process, seconds);
  if (code) return *code;
  kill(process, SIGKILL);
  wait_for(process, 10);
  return -1;
}

}  // namespace headroom::attack
