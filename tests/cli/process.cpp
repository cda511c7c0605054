#include "cli/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string_view>
#include <thread>

namespace headroom::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds time_limit(60);
constexpr std::chrono::milliseconds poll_interval(2);

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("HEADROOM_")) result.emplace_back(*entry);
  }
  for (const auto& [name, value] : added) {
    result.push_back(name + "=");
    result.back() += value;
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Without moving the position in the file, which the program that writes it shares.
std::string content(FILE* file) {
  std::string text;
  char block[4096];
  while (true) {
    const ssize_t got = pread(fileno(file), block, sizeof(block), static_cast<off_t>(text.size()));
    if (got <= 0) return text;
    text.append(block, static_cast<size_t>(got));
  }
}

}  // namespace

std::filesystem::path bin_directory() {
  const char* chosen = getenv("HEADROOM_TEST_BIN");
  return chosen != nullptr ? chosen : HEADROOM_BIN_DIR;
}

// Files, not pipes: nobody has to read while the program writes.
Process::Process(const Arguments& arguments, const ProcessInput& given)
    : input_(std::tmpfile(), std::fclose),
      out_(std::tmpfile(), std::fclose),
      err_(std::tmpfile(), std::fclose) {
  std::fwrite(given.input.data(), 1, given.input.size(), input_.get());
  std::rewind(input_.get());
  std::vector<std::string> words = {given.program.empty() ? (bin_directory() / "headroom").string()
                                                          : given.program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = environment_with(given.environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (given.own_session) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  if (given.terminal.empty()) {
    posix_spawn_file_actions_adddup2(&actions, fileno(input_.get()), STDIN_FILENO);
  } else {  // the first terminal that the leader of a session opens is the session's
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, given.terminal.c_str(), O_RDWR, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, fileno(out_.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err_.get()), STDERR_FILENO);
  const int error = posix_spawnp(&pid_, words[0].c_str(), &actions, &attributes,
                                 pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    ADD_FAILURE() << words[0] << " did not start, error " << error;
    ended_ = true;
  }
}

Process::~Process() {
  if (ended_) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, &status_, 0);
}

void Process::send(int signal) const {
  if (!ended_) kill(pid_, signal);
}

bool Process::ended() {
  if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return ended_;
}

bool Process::wait_until(const std::function<bool()>& condition) {
  const auto deadline = Clock::now() + time_limit;
  while (!condition()) {
    if (ended() || Clock::now() > deadline) return false;
    std::this_thread::sleep_for(poll_interval);
  }
  return true;
}

std::string Process::output_so_far() const {
  return content(out_.get());
}

std::string Process::log_so_far() const {
  return content(err_.get());
}

Outcome Process::wait() {
  wait_until([&] { return ended(); });
  if (!ended_) {
    ADD_FAILURE() << "still running after " << time_limit.count() << " s: killed";
    kill(pid_, SIGKILL);
    ended_ = waitpid(pid_, &status_, 0) == pid_;
  }
  Outcome outcome;
  if (WIFEXITED(status_)) outcome.exit_code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) outcome.signal = WTERMSIG(status_);
  outcome.out = content(out_.get());
  outcome.err = content(err_.get());
  return outcome;
}

Outcome run(const Arguments& arguments, const ProcessInput& given) {
  return Process(arguments, given).wait();
}

}  // namespace headroom::testing
