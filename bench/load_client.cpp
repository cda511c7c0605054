#include "load_client.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "base/prompt_thread.h"

namespace headroom {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The text between `begin` and `end`, or nothing.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  text.remove_prefix(from + begin.size());
  return text.substr(0, std::min(text.find(end), text.size()));
}

template <typename Number>
Number number_of(std::string_view text) {
  Number value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The first whole response in `received`; nothing while it is incomplete.
std::optional<std::string> take_response(std::string& received) {
  const size_t head_end = received.find("\r\n\r\n");
  if (head_end == std::string::npos) return std::nullopt;
  const std::string_view head = std::string_view(received).substr(0, head_end + 2);
  const size_t length = head_end + 4 + number_of<size_t>(between(head, "Content-Length: ", "\r\n"));
  if (received.size() < length) return std::nullopt;
  std::string response = received.substr(0, length);
  received.erase(0, length);
  return response;
}

}  // namespace

std::string classify_request(const std::string& text, const std::string& members,
                             const std::string& fields) {
  const std::string body = fmt::format("{{\"inputs\":{}{}}}", Json(text).dump(), members);
  return fmt::format(
      "POST /v1/classify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "{}Content-Length: {}\r\n\r\n{}",
      fields, body.size(), body);
}

LoadClient::LoadClient(int port, int connections, LoadClientSettings settings)
    : port_(port),
      settings_(std::move(settings)),
      events_(epoll_create1(0)),
      connections_(static_cast<size_t>(connections)) {
  prctl(PR_SET_TIMERSLACK, 1000);  // wake up within a microsecond, not fifty
  wake_promptly();  // clients have machines of their own; this one shares the server's cores
  for (size_t i = 0; i < connections_.size(); ++i) {
    open(connections_[i]);
    free_.push_back(i);
  }
}

LoadClient::~LoadClient() {
  close(events_);
}

void LoadClient::open(Connection& connection) {
  constexpr double patience = 10;
  connection.received.clear();
  connection.socket.emplace(port_, settings_.transport, patience, settings_.source);
  if (!connection.socket->connected()) {
    throw Error(ErrorCode::runtime, fmt::format("connect to port {}", port_), strerror(errno));
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<uint64_t>(&connection - connections_.data());
  epoll_ctl(events_, EPOLL_CTL_ADD, connection.socket->descriptor(), &event);
}

void LoadClient::finish(Connection& connection, LoadOutcome& outcome, int status) {
  outcome.status = status;
  outcome.done = now() - start_;
  connection.request = -1;
  free_.push_back(static_cast<size_t>(&connection - connections_.data()));
  ++finished_;
}

void LoadClient::take_answers(Connection& connection, const std::vector<LoadRequest>& requests,
                              const std::vector<size_t>& order,
                              std::vector<LoadOutcome>& outcomes) {
  const LoadSocket::Received received =
      connection.socket->receive(connection.received, /*wait=*/false);
  if (received == LoadSocket::Received::nothing) return;
  if (received == LoadSocket::Received::end) {
    open(connection);
    const auto broken = static_cast<size_t>(connection.request);
    if (connection.request >= 0) finish(connection, outcomes[broken], 0);
    return;
  }
  const std::optional<std::string> response = take_response(connection.received);
  if (!response || connection.request < 0) return;
  const auto index = static_cast<size_t>(connection.request);
  LoadOutcome& outcome = outcomes[index];
  outcome.budget = number_of<double>(between(*response, "x-headroom-budget: ", "\r\n"));
  outcome.inference_ms = number_of<double>(between(*response, "x-headroom-inference-ms: ", "\r\n"));
  outcome.total_ms = number_of<double>(between(*response, "\"total_ms\":", "}"));
  outcome.right = between(*response, "\"label\":\"", "\"") == requests[order[index]].label;
  outcome.unreachable = between(*response, "x-headroom-error: ", "\r\n") == "deadline_unreachable";
  if (settings_.on_response) settings_.on_response(order[index], *response);
  finish(connection, outcome, number_of<int>(std::string_view(*response).substr(9, 3)));
}

std::vector<LoadOutcome> LoadClient::run(const std::vector<LoadRequest>& requests,
                                         const std::vector<size_t>& order,
                                         const std::vector<double>& due, double patience,
                                         double end) {
  std::vector<LoadOutcome> outcomes(due.size());
  for (size_t i = 0; i < connections_.size(); ++i) {
    if (connections_[i].request < 0) continue;  // left waiting by the run before
    open(connections_[i]);
    connections_[i].request = -1;
    free_.push_back(i);
  }
  start_ = now();
  finished_ = 0;
  size_t next = 0;
  double last_news = 0;
  std::array<epoll_event, 64> ready;
  while (finished_ < due.size()) {
    const double time = now() - start_;
    while (next < due.size() && due[next] <= time && !free_.empty()) {
      Connection& connection = connections_[free_.back()];
      free_.pop_back();
      connection.request = static_cast<int64_t>(next);
      outcomes[next].due = due[next];
      outcomes[next].sent = now() - start_;
      connection.socket->send(requests[order[next]].bytes);  // a failure is read as the end
      ++next;
    }
    const bool may_send = next < due.size() && !free_.empty();
    const double wait = may_send ? std::max(0.0, due[next] - (now() - start_)) : 0.1;
    timespec timeout{static_cast<time_t>(wait), static_cast<long>((wait - std::floor(wait)) * 1e9)};
    const int count = epoll_pwait2(events_, ready.data(), ready.size(), &timeout, nullptr);
    for (int i = 0; i < count; ++i) {
      take_answers(connections_[ready[static_cast<size_t>(i)].data.u64], requests, order, outcomes);
    }
    if (count > 0 || may_send) last_news = now() - start_;
    // What is left keeps status 0.
    if (now() - start_ - last_news > patience || now() - start_ > end) break;
  }
  return outcomes;
}

}  // namespace headroom
