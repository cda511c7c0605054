#include "load_faults.h"

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
#include "load_socket.h"

namespace headroom {
namespace {

using Random = std::mt19937_64;

// The next response's status; 0 when none comes.
int status_of(const LoadSocket& socket) {
  std::string text;
  socket.receive(text, /*wait=*/true);
  int status = 0;
  if (text.size() > 12) std::from_chars(text.data() + 9, text.data() + 12, status);
  return status;
}

std::string random_bytes(Random& random, size_t count) {
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// What a client that misbehaves has: a connection, an honest request to spoil, and dice.
struct Offender {
  const LoadSocket& socket;
  const std::string& good_request;
  const std::string& post_head;  // of such a request, but for its length
  Random& random;
};

struct Fault {
  const char* name;
  int (*commit)(const Offender& by);  // returns a status, or 0
};

int send_garbage(const Offender& by) {
  by.socket.send(random_bytes(by.random, 1 + by.random() % 4000));
  return status_of(by.socket);
}

// A good request with one byte changed.
int send_damaged(const Offender& by) {
  std::string bytes = by.good_request;
  bytes[by.random() % bytes.size()] = static_cast<char>(by.random());
  bytes += "\r\n\r\n";
  by.socket.send(bytes);
  return status_of(by.socket);
}

int leave_in_the_middle(const Offender& by) {
  by.socket.send(by.good_request.substr(0, by.random() % by.good_request.size()));
  return 0;
}

int leave_before_the_answer(const Offender& by) {
  if (by.random() % 2 == 0) by.socket.reset_on_close();
  by.socket.send(by.good_request);
  return 0;
}

int send_slowly_and_leave(const Offender& by) {
  for (const char byte : by.good_request.substr(0, 200)) {
    if (!by.socket.send({&byte, 1})) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return 0;
}

int pipeline_and_leave(const Offender& by) {
  std::string many;
  for (size_t i = 0; i < 50; ++i) many += by.good_request;
  by.socket.send(many);
  return by.random() % 2 == 0 ? status_of(by.socket) : 0;
}

int announce_too_much(const Offender& by) {
  by.socket.send(by.post_head + "Content-Length: 99999999999\r\n\r\n");
  return status_of(by.socket);
}

int lie_about_chunks(const Offender& by) {
  by.socket.send(by.post_head + "Transfer-Encoding: chunked\r\n\r\n" +
                 (by.random() % 2 == 0 ? "-1\r\n" : "ffffffffffffffff\r\n") +
                 random_bytes(by.random, 99));
  return status_of(by.socket);
}

int say_nothing(const Offender& by) {
  std::this_thread::sleep_for(std::chrono::milliseconds(by.random() % 200));
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

Json run_faults(const FaultSettings& settings, double seconds, uint64_t seed) {
  constexpr int clients = 4;
  constexpr double patience_seconds = 2;
  const std::string good_request =
      classify_request("Oil prices fell for a third day", "", settings.fields);
  const std::string post_head = good_request.substr(0, good_request.find("Content-Length"));
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
        // Of a server that speaks TLS some clients do not know that.
        const bool plain = settings.transport == Transport::plain || random() % 4 == 0;
        const LoadSocket socket(settings.port, plain ? Transport::plain : Transport::tls,
                                patience_seconds);
        const int status =
            socket.connected() ? fault.commit({socket, good_request, post_head, random}) : -1;
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
