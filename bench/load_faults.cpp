#include "load_faults.h"

#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "load_client.h"

namespace headroom {
namespace {

using Random = std::mt19937_64;

class FaultySocket {
 public:
  explicit FaultySocket(int port) : socket_(connect_to(port)) {
    const timeval patience{2, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  }
  ~FaultySocket() {
    if (connected()) close(socket_);
  }
  FaultySocket(const FaultySocket&) = delete;
  FaultySocket& operator=(const FaultySocket&) = delete;

  bool connected() const { return socket_ >= 0; }
  bool send(std::string_view bytes) const {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  // The next response's status; 0 when none comes.
  int status() const {
    std::string text(4096, '\0');
    const ssize_t count = recv(socket_, text.data(), text.size(), 0);
    int status = 0;
    if (count > 12) std::from_chars(text.data() + 9, text.data() + 12, status);
    return status;
  }
  // Closing will reset the connection instead of ending it.
  void reset_on_close() const {
    const linger now{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  }

 private:
  int socket_;
};

std::string random_bytes(Random& random, size_t count) {
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

const std::string& good_request() {
  static const std::string request = classify_request("Oil prices fell for a third day", "");
  return request;
}

struct Fault {
  const char* name;
  int (*commit)(const FaultySocket& socket, Random& random);  // returns a status, or 0
};

int send_garbage(const FaultySocket& socket, Random& random) {
  socket.send(random_bytes(random, 1 + random() % 4000));
  return socket.status();
}

// A good request with one byte changed.
int send_damaged(const FaultySocket& socket, Random& random) {
  std::string bytes = good_request();
  bytes[random() % bytes.size()] = static_cast<char>(random());
  bytes += "\r\n\r\n";
  socket.send(bytes);
  return socket.status();
}

int leave_in_the_middle(const FaultySocket& socket, Random& random) {
  socket.send(good_request().substr(0, random() % good_request().size()));
  return 0;
}

int leave_before_the_answer(const FaultySocket& socket, Random& random) {
  if (random() % 2 == 0) socket.reset_on_close();
  socket.send(good_request());
  return 0;
}

int send_slowly_and_leave(const FaultySocket& socket, Random& /*random*/) {
  for (const char byte : good_request().substr(0, 200)) {
    if (!socket.send({&byte, 1})) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return 0;
}

int pipeline_and_leave(const FaultySocket& socket, Random& random) {
  std::string many;
  for (size_t i = 0; i < 50; ++i) many += good_request();
  socket.send(many);
  return random() % 2 == 0 ? socket.status() : 0;
}

const std::string post_head =
    "POST /v1/classify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

int announce_too_much(const FaultySocket& socket, Random& /*random*/) {
  socket.send(post_head + "Content-Length: 99999999999\r\n\r\n");
  return socket.status();
}

int lie_about_chunks(const FaultySocket& socket, Random& random) {
  socket.send(post_head + "Transfer-Encoding: chunked\r\n\r\n" +
              (random() % 2 == 0 ? "-1\r\n" : "ffffffffffffffff\r\n") + random_bytes(random, 99));
  return socket.status();
}

int say_nothing(const FaultySocket& /*socket*/, Random& random) {
  std::this_thread::sleep_for(std::chrono::milliseconds(random() % 200));
  return 0;
}

constexpr Fault faults[] = {
    {"garbage", send_garbage},
    {"damaged", send_damaged},
    {"left_in_the_middle", leave_in_the_middle},
    {"left_before_the_answer", leave_before_the_answer},
    {"slow", send_slowly_and_leave},
    {"pipelined", pipeline_and_leave},
    {"too_much", announce_too_much},
    {"chunks", lie_about_chunks},
    {"silent", say_nothing},
};

}  // namespace

Json run_faults(int port, int clients, double seconds, uint64_t seed) {
  std::map<std::string, int64_t> by_fault;
  std::map<int, int64_t> by_status;
  std::mutex mutex;
  const auto stop = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(clients));
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&, client] {
      Random random(seed + static_cast<uint64_t>(client));
      while (std::chrono::steady_clock::now() < stop) {
        const Fault& fault = faults[random() % std::size(faults)];
        const FaultySocket socket(port);
        const int status = socket.connected() ? fault.commit(socket, random) : -1;
        const std::lock_guard lock(mutex);
        ++by_fault[fault.name];
        ++by_status[status];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Json json;
  int64_t server_errors = 0;
  int64_t exchanges = 0;
  for (const auto& [name, count] : by_fault) json["by_fault"][name] = count;
  for (const auto& [status, count] : by_status) {
    json["by_status"][std::to_string(status)] = count;
    exchanges += count;
    if (status >= 500) server_errors += count;
  }
  json["exchanges"] = exchanges;
  json["not_connected"] = by_status[-1];
  json["server_errors"] = server_errors;
  return json;
}

}  // namespace headroom
