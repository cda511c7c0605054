#include "cli/engines/peer.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/interrupt.h"

namespace headroom {
namespace {

// What runs ONNX Runtime, and what has to be in the folder for it.
struct PeerProgram {
  const char* interpreter;
  const char* script;
  const char* package;  // nothing where the interpreter finds it elsewhere
};
constexpr PeerProgram node_peer = {"node", "onnxruntime-peer.js",
                                   "node_modules/onnxruntime-node/package.json"};
constexpr PeerProgram python_peer = {"python3", "onnxruntime-peer.py", nullptr};

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::runtime, "ask onnxruntime", message);
}

// Node's, or where that was not installed Python's.
const PeerProgram& program_in(const std::filesystem::path& directory) {
  for (const char* part : {node_peer.script, node_peer.package}) {
    if (std::filesystem::exists(directory / part)) continue;
    if (std::filesystem::exists(directory / python_peer.script)) return python_peer;
    throw Error(ErrorCode::usage, "start onnxruntime",
                fmt::format("{} is not there; `make peers` installs it, --peer-dir says where "
                            "else it is",
                            (directory / part).string()));
  }
  return node_peer;
}

// Its interpreter, with one socket as its standard input and output.
pid_t start(const PeerProgram& program, const std::filesystem::path& directory, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  std::string interpreter = program.interpreter;
  std::string path = (directory / program.script).string();
  char* const arguments[] = {interpreter.data(), path.data(), nullptr};
  pid_t process = -1;
  const int problem =
      posix_spawnp(&process, program.interpreter, &actions, nullptr, arguments, ::environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    throw Error(ErrorCode::usage, "start onnxruntime",
                fmt::format("{}: {}; `make peers` installs what is needed", program.interpreter,
                            std::strerror(problem)));
  }
  return process;
}

}  // namespace

OnnxRuntimePeer::OnnxRuntimePeer(const std::filesystem::path& directory) {
  const PeerProgram& program = program_in(directory);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail(std::strerror(errno));
  socket_ = ends[0];
  try {
    process_ = start(program, directory, ends[1]);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[1]);
}

OnnxRuntimePeer::~OnnxRuntimePeer() {
  ::close(socket_);  // it ends when its input does
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int OnnxRuntimePeer::load(const std::filesystem::path& onnx, int threads) {
  const Json reply = ask({{"load", onnx.string()}, {"threads", threads}});
  version_ = reply.value("version", "");
  return reply.at("session").get<int>();
}

int OnnxRuntimePeer::add_batch(std::span<const Tokens> inputs) {
  Json ids = Json::array();
  Json types = Json::array();
  for (const Tokens& input : inputs) {
    ids.push_back(input.ids);
    types.push_back(input.types.empty() ? std::vector<int32_t>(input.ids.size()) : input.types);
  }
  return ask({{"batch", {{"ids", ids}, {"types", types}}}}).at("batch").get<int>();
}

PeerRun OnnxRuntimePeer::run(int session, int batch) {
  const Json reply = ask({{"run", {{"session", session}, {"batch", batch}}}});
  return {reply.at("ms").get<double>(), reply.at("cpu_ms").get<double>(),
          reply.at("logits").get<std::vector<float>>()};
}

Json OnnxRuntimePeer::ask(const Json& request) {
  const std::string line = request.dump() + "\n";
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t put = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(fmt::format("it ended: {}", std::strerror(errno)));
    sent += static_cast<size_t>(put);
  }
  Json reply = parse_json(read_line(), ErrorCode::runtime, "onnxruntime's answer");
  if (reply.contains("error")) fail(reply.at("error").get<std::string>());
  return reply;
}

std::string OnnxRuntimePeer::read_line() {
  for (;;) {
    const size_t end = unread_.find('\n');
    if (end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    char block[65536];
    const ssize_t got = ::read(socket_, block, sizeof block);
    if (got < 0 && errno == EINTR && !interrupt_requested()) continue;
    if (interrupt_requested()) throw Error(ErrorCode::interrupted, "bench", "stopped");
    if (got <= 0) fail("it ended before it answered; what it said is above");
    unread_.append(block, static_cast<size_t>(got));
  }
}

}  // namespace headroom
