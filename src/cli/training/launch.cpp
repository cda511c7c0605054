#include "cli/training/launch.h"

#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/interrupt.h"
#include "train/parallel/reserved_port.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto patience = std::chrono::seconds(10);
constexpr useconds_t look_every = 20'000;  // microseconds
constexpr const char* operation = "run several processes";

struct RankProcess {
  pid_t process = -1;  // 0 once it has ended
  int status = 0;      // as waitpid() tells it
  int output = -1;     // a file in memory with what it printed; the first prints for itself
};

[[noreturn]] void fail(const char* call) {
  throw Error(ErrorCode::runtime, operation, fmt::format("{}: {}", call, std::strerror(errno)));
}

std::string read_output(int descriptor) {
  std::string text(static_cast<size_t>(std::max<off_t>(0, lseek(descriptor, 0, SEEK_END))), '\0');
  const ssize_t got = pread(descriptor, text.data(), text.size(), 0);
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, got)));
  return text;
}

ErrorCode code_of(int exit_status) {
  for (const ErrorCode code :
       {ErrorCode::usage, ErrorCode::bad_data, ErrorCode::bad_model, ErrorCode::interrupted}) {
    if (exit_code(code) == exit_status) return code;
  }
  return ErrorCode::runtime;
}

// Processes more (or fewer) that signals have asked for and nobody has started.
std::atomic<int> change = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void watch_for_changes() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) { change += signal == SIGUSR1 ? 1 : -1; };
  sigaction(SIGUSR1, &action, nullptr);
  sigaction(SIGUSR2, &action, nullptr);
}

// The same run with another number of processes, from what it saved last.
std::vector<std::string> resumed(const std::vector<std::string>& arguments, int count) {
  std::vector<std::string> words;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--nproc") ++i;  // its value
    if (word == "--nproc" || word.starts_with("--nproc=")) continue;
    if (word != "--restart" && word != "--resume") words.push_back(word);
  }
  unsetenv("HEADROOM_RESTART");
  words.insert(words.end(), {"--resume", "--nproc", std::to_string(count)});
  return words;
}

class RankJob {
 public:
  RankJob(int count, const std::vector<std::string>& arguments) : arguments_(arguments) {
    for (int rank = 0; rank < count; ++rank) start(rank, count, port_.number());
  }
  ~RankJob() {
    signal_all(SIGKILL);
    for (RankProcess& rank : ranks_) {
      if (rank.process > 0) waitpid(rank.process, nullptr, 0);
      if (rank.output >= 0) close(rank.output);
    }
  }
  RankJob(const RankJob&) = delete;
  RankJob& operator=(const RankJob&) = delete;

  // Nothing when all went well.
  const std::optional<Error>& wait() {
    Clock::time_point asked_at;
    while (running() > 0) {
      reap();
      if (!asked_ && (failure_ || interrupt_requested() || change != 0)) {
        signal_all(SIGTERM);  // a terminal's Ctrl-C has reached them already: this changes nothing
        asked_ = true;
        asked_at = Clock::now();
      }
      // A rank that was interrupted saves first, which may take longer than this.
      const bool failed = failure_ && failure_->code() != ErrorCode::interrupted;
      if (failed && Clock::now() - asked_at > patience) signal_all(SIGKILL);
      usleep(look_every);
    }
    return failure_;
  }

  bool killed() const { return killed_; }  // a rank, by a signal

  // Ranks often fail for the same reason, which the first has told, or because one was killed.
  void tell_outputs() {
    if (killed_) return;
    std::set<std::string> told;
    for (const RankProcess& rank : ranks_) {
      const bool like_the_first = rank.status == ranks_[0].status &&
                                  code_of(WEXITSTATUS(rank.status)) != ErrorCode::runtime;
      if (rank.output < 0 || rank.status == 0 || like_the_first) continue;
      const std::string text = read_output(rank.output);
      if (told.insert(text).second) fmt::print(stderr, "{}", text);
    }
  }

 private:
  void start(int rank, int count, int port) {
    RankProcess started;
    if (rank > 0) started.output = memfd_create("rank output", MFD_CLOEXEC);
    if (rank > 0 && started.output < 0) fail("memfd_create");
    std::vector<char*> words = {const_cast<char*>("headroom-train")};
    for (const std::string& argument : arguments_)
      words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    const pid_t parent = getpid();
    started.process = fork();
    if (started.process < 0) fail("fork");
    if (started.process > 0) {
      ranks_.push_back(started);
      return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would look after it
    if (getppid() != parent) _exit(1);
    if (rank > 0) {
      dup2(started.output, STDOUT_FILENO);
      dup2(started.output, STDERR_FILENO);
    }
    const auto tell = [](const char* name, int value) {
      setenv(name, std::to_string(value).c_str(), 1);
    };
    tell("RANK", rank);
    tell("WORLD_SIZE", count);
    tell("LOCAL_RANK", rank);
    tell("LOCAL_WORLD_SIZE", count);
    tell("MASTER_PORT", port);
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    execv("/proc/self/exe", words.data());
    _exit(127);
  }

  size_t running() const {
    size_t count = 0;
    for (const RankProcess& rank : ranks_) count += rank.process > 0 ? 1 : 0;
    return count;
  }

  void signal_all(int signal) {
    for (const RankProcess& rank : ranks_) {
      if (rank.process > 0) kill(rank.process, signal);
    }
  }

  void reap() {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      int& status = ranks_[rank].status;
      if (ranks_[rank].process <= 0) continue;
      if (waitpid(ranks_[rank].process, &status, WNOHANG) <= 0) continue;
      ranks_[rank].process = 0;
      if (status != 0) note_failure(rank, status);
    }
  }

  // A rank whose neighbour died fails too, with the code of any failure: others say more.
  void note_failure(size_t rank, int status) {
    const bool stopped = asked_ && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
    const bool killed = WIFSIGNALED(status) && !stopped;
    const ErrorCode code = stopped  ? ErrorCode::interrupted  // before it could save
                           : killed ? ErrorCode::runtime
                                    : code_of(WEXITSTATUS(status));
    if (failure_ && (failure_->code() != ErrorCode::runtime || killed_)) return;
    if (failure_ && !killed && code == ErrorCode::runtime) return;
    killed_ = killed;
    failure_.emplace(code, operation,
                     killed
                         ? fmt::format("rank {} of {} was killed by signal {} ({})", rank,
                                       ranks_.size(), WTERMSIG(status), strsignal(WTERMSIG(status)))
                         : fmt::format("rank {} of {} ended with code {}", rank, ranks_.size(),
                                       WEXITSTATUS(status)));
  }

  const std::vector<std::string>& arguments_;
  const ReservedPort port_;  // where rank 0 listens
  std::vector<RankProcess> ranks_;
  std::optional<Error> failure_;
  bool killed_ = false;
  bool asked_ = false;  // to stop
};

}  // namespace

void run_ranks(int count, std::vector<std::string> arguments, int restarts) {
  if (restarts > 0) watch_for_changes();
  for (int lost = 0;;) {
    RankJob job(count, arguments);
    const std::optional<Error>& failure = job.wait();
    if (!failure) return;
    const bool goes_on =
        job.killed() ? lost < restarts : change != 0 && failure->code() == ErrorCode::interrupted;
    if (!goes_on || interrupt_requested()) {
      job.tell_outputs();
      throw Error(
          failure->code(), operation,
          failure->message() + (job.killed() ? "; --resume goes on from what was saved last" : ""));
    }
    lost += job.killed() ? 1 : 0;
    count = std::max(1, count - (job.killed() ? 1 : 0) + change.exchange(0));
    fmt::print(stderr, "headroom: {}; {} process(es) go on from the last saved state\n",
               job.killed() ? failure->message() : "asked for another number of processes", count);
    arguments = resumed(arguments, count);
  }
}

}  // namespace headroom
