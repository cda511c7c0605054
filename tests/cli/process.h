// Starts the real `headroom` and tells what it said: exit code, standard output, standard error.
// No shell in between, so arguments arrive as they are written here.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headroom::testing {

using Arguments = std::vector<std::string>;

struct ProcessInput {
  std::string input = {};  // what it finds on standard input
  std::map<std::string, std::string> environment =
      {};                    // added; HEADROOM_* of ours is not passed on
  std::string program = {};  // one in $PATH instead of `headroom`
  // In a session of its own, whose terminal this device becomes, or without one.
  bool own_session = false;
  std::string terminal = {};
};

struct Outcome {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
};

// $HEADROOM_TEST_BIN, or where this build puts its programs.
std::filesystem::path bin_directory();

class Process {
 public:
  explicit Process(const Arguments& arguments, const ProcessInput& given = {});
  ~Process();  // ends it if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return pid_; }
  void send(int signal) const;
  // True once `condition` holds; false when the process ended before that.
  bool wait_until(const std::function<bool()>& condition);
  std::string output_so_far() const;  // on standard output
  std::string log_so_far() const;     // on standard error
  // Until it ends. After a minute, more than any test needs, it is killed and the test fails.
  Outcome wait();

 private:
  using File = std::unique_ptr<FILE, int (*)(FILE*)>;

  bool ended();

  File input_;
  File out_;
  File err_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

// `headroom ARGUMENTS...`, from start to end.
Outcome run(const Arguments& arguments, const ProcessInput& given = {});

}  // namespace headroom::testing
