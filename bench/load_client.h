// Many connections to one server from one thread: sends requests at given times, whether or not
// earlier ones are answered, and notes when each answer came. One thread and no HTTP library, so
// that on two cores the client takes as little as it can from the server it measures.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load_socket.h"

namespace headroom {

struct LoadRequest {
  std::string bytes;
  std::string label;  // the right answer
};

struct LoadOutcome {
  // Seconds from the start of the run.
  double due = 0;
  double sent = 0;
  double done = 0;
  int status = 0;            // 0: the connection broke, or no answer came
  bool unreachable = false;  // 422: not even an idle server would meet the deadline
  double budget = 0;
  // As the server says.
  double inference_ms = 0;
  double total_ms = 0;  // from the request read to the response written
  bool right = false;
};

struct LoadClientSettings {
  std::string source = "127.0.0.1";  // an address of this machine
  Transport transport = Transport::plain;
  // Called with the index of a request and its whole response, as it came.
  std::function<void(size_t request, std::string_view response)> on_response = {};
};

class LoadClient {
 public:
  // Throws ErrorCode::runtime, as run() does, when the server cannot be connected to.
  LoadClient(int port, int connections, LoadClientSettings settings = {});
  ~LoadClient();
  LoadClient(const LoadClient&) = delete;
  LoadClient& operator=(const LoadClient&) = delete;

  // One request per entry of `due`, ascending; the i-th is requests[order[i]]. A request that finds
  // every connection busy waits for one, which its time counts. Ends when all are answered, after
  // `patience` seconds without any answer, or at `end`.
  std::vector<LoadOutcome> run(const std::vector<LoadRequest>& requests,
                               const std::vector<size_t>& order, const std::vector<double>& due,
                               double patience = 10,
                               double end = std::numeric_limits<double>::infinity());

 private:
  struct Connection {
    std::optional<LoadSocket> socket;
    int64_t request = -1;  // -1: free
    std::string received;
  };

  void open(Connection& connection);
  void take_answers(Connection& connection, const std::vector<LoadRequest>& requests,
                    const std::vector<size_t>& order, std::vector<LoadOutcome>& outcomes);
  void finish(Connection& connection, LoadOutcome& outcome, int status);

  int port_;
  LoadClientSettings settings_;
  int events_ = -1;
  std::vector<Connection> connections_;
  std::vector<size_t> free_;
  double start_ = 0;
  size_t finished_ = 0;
};

// The whole POST /v1/classify of one text; `members` are further ones of its object, `fields` of
// the header ("Name: value\r\n").
std::string classify_request(const std::string& text, const std::string& members,
                             const std::string& fields = "");

}  // namespace headroom
