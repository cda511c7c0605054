// Threads for what a request needs before its texts can wait for a worker: parsing and tokenising.
// Off the thread of the sockets, so that nobody's two megabytes stop the others' bytes. Clients
// take turns by the size of their requests, and no client has all the threads. Large requests have
// a thread of their own that yields the CPU to everything else.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace headroom::server {

struct RequestPoolSettings {
  int threads = 0;     // of which one client has all but one; 0: one for every four cores
  size_t limit = 256;  // requests waiting; a client with less than its part is let in beyond that
};

class RequestPool {
 public:
  using Job = std::function<void()>;  // one that throws is given up

  explicit RequestPool(const RequestPoolSettings& settings = {});
  // Finishes what is under way; what waits is not run.
  ~RequestPool();
  RequestPool(const RequestPool&) = delete;
  RequestPool& operator=(const RequestPool&) = delete;

  // Runs `job` for `client` on one of the threads. False, and it is not run, when too many wait.
  bool post(const std::string& client, size_t bytes, Job job);

 private:
  struct Waiting {
    double cost = 0;
    Job job;
  };
  struct Client {
    std::deque<Waiting> waiting;
    int running = 0;
    double used = 0;  // cost of what was run; the smallest is next
  };
  using Clients = std::map<std::string, Client>;

  enum class Share { small, large };  // which requests a thread takes

  void stop();
  void work(Share share);
  Clients::iterator next(Share share);

  std::condition_variable& changed(Share share) {
    return share == Share::small ? small_changed_ : large_changed_;
  }
  static Share share_of(const Waiting& request);
  void wake_for_next(const Client& client);  // one thread, if it has something waiting

  RequestPoolSettings settings_;
  std::mutex mutex_;  // guards what follows
  // For the threads of either share, all of which take the same requests: one is woken, because
  // waking three for each request takes longer than reading it.
  std::condition_variable small_changed_;
  std::condition_variable large_changed_;
  Clients clients_;  // that have something waiting or running
  size_t waiting_ = 0;
  double last_used_ = 0;  // of the client served last: a new one starts there
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // last: they see the rest complete
};

}  // namespace headroom::server
