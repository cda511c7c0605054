// Many connections to one server from one thread: sends requests at given times, whether or not
// earlier ones are answered, and notes when each answer came. Plain sockets, so that on two cores
// the client takes as little as it can from the server it measures.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

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
  int status = 0;  // 0: the connection broke, or no answer came
  double budget = 0;
  // As the server says.
  double inference_ms = 0;
  double total_ms = 0;  // from the request read to the response written
  bool right = false;
};

class LoadClient {
 public:
  // From `source`, an address of this machine. Throws ErrorCode::runtime.
  LoadClient(int port, int connections, std::string source = "127.0.0.1");
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
    int socket = -1;
    int64_t request = -1;  // -1: free
    std::string received;
  };

  void open(Connection& connection);
  void take_answers(Connection& connection, const std::vector<LoadRequest>& requests,
                    const std::vector<size_t>& order, std::vector<LoadOutcome>& outcomes);
  void finish(Connection& connection, LoadOutcome& outcome, int status);

  int port_;
  std::string source_;
  int events_ = -1;
  std::vector<Connection> connections_;
  std::vector<size_t> free_;
  double start_ = 0;
  size_t finished_ = 0;
};

// A socket connected from `source` to this machine's `port`; -1 when nobody listens.
int connect_to(int port, const std::string& source = "127.0.0.1");

// The whole POST /v1/classify of one text; `fields` are further members of its object.
std::string classify_request(const std::string& text, const std::string& fields);

}  // namespace headroom
