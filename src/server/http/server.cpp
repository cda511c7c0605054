#include "server/http/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/prompt_thread.h"
#include "server/http/session.h"

namespace headroom {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;

constexpr std::chrono::milliseconds stop_poll{20};
constexpr std::chrono::milliseconds accept_pause{100};  // when the system has no more descriptors
// Connections over the limit, which get probes answered and are told that there is no room.
constexpr size_t reserved_connections = 64;
constexpr int most_dropped = 1024;  // clients at once, when the system has no more descriptors

tcp::acceptor listening_socket(net::io_context& context, const std::string& host, int port) {
  const std::string operation = fmt::format("listen on {}:{}", host, port);
  boost::system::error_code error;
  tcp::resolver resolver(context);
  const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
  if (error || found.empty()) {
    throw Error(ErrorCode::runtime, operation, "--host is no address of this machine");
  }
  tcp::acceptor acceptor(context);
  const tcp::endpoint endpoint = found.begin()->endpoint();
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(net::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
  if (!error) acceptor.non_blocking(true, error);
  if (error) throw Error(ErrorCode::runtime, operation, error.message());
  return acceptor;
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpHandler& handler, const HttpLimits& limits, const std::string& host, int port,
       ServerLog& log, const TlsContext* tls)
      : handler_(handler),
        limits_(limits),
        held_(limits.held_bytes),
        log_(log),
        tls_(tls),
        acceptor_(listening_socket(context_, host, port)),
        ticker_(context_),
        pause_(context_),
        gate_(std::make_shared<ReplyGate>(context_)) {}

  // Replies that come later than this find the gate shut.
  ~Impl() {
    gate_->shut();
    close_all();
    ::close(spare_descriptor_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  tcp::endpoint endpoint() const { return acceptor_endpoint_; }
  const char* scheme() const { return tls_ == nullptr ? "http" : "https"; }

  Shutdown run(const std::function<bool()>& stop_requested, std::chrono::milliseconds drain) {
    wake_promptly();
    accept();
    watch(stop_requested, drain);
    while (!context_.stopped()) {
      try {
        context_.run();
      } catch (const std::bad_alloc&) {  // what it was for is late or closed; the others go on
        log_.event("out_of_memory");
      }
    }
    return {cut_, seconds_since(stopped_at_)};
  }

 private:
  using Clock = std::chrono::steady_clock;

  void accept() {
    acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
      if (stopping_) return;
      if (!error) {
        admit(std::move(socket));
        accept();
      } else if (close_oldest(waiting_) || close_oldest(waiting_reserved_)) {
        accept();  // with the descriptor that is free now
      } else {
        drop_clients();
        log_.event("accept_failed", {{"why", error.message()}});
        pause_.expires_after(accept_pause);
        pause_.async_wait([this](const boost::system::error_code&) {
          if (!stopping_) accept();
        });
      }
    });
  }

  // Nobody is told to wait by a full server: who kept it waiting longest makes room. When it works
  // for all of them, probes are still answered.
  void admit(tcp::socket socket) {
    const bool full = sessions_.size() >= limits_.connections && !close_oldest(waiting_);
    const bool overfull = sessions_.size() >= limits_.connections + reserved_connections;
    if (full && overfull && !close_oldest(waiting_reserved_)) return;  // closes the socket
    try {
      const auto session = std::make_shared<HttpSession>(
          std::move(socket), HttpSession::Shared{handler_, limits_, held_, gate_, tls_},
          full ? waiting_reserved_ : waiting_, full,
          [this](const HttpSession& ended) { forget(ended); });
      sessions_.emplace(session.get(), session);
      session->start();
    } catch (const std::bad_alloc&) {
      log_.event("out_of_memory", {{"while", "a client connects"}});
    }
  }

  static bool close_oldest(HttpSession::Waiting& waiting) {
    if (waiting.empty()) return false;
    waiting.front()->cut();
    return true;
  }

  // There is no descriptor for those who want to connect. Without the one that was kept they could
  // not even be turned away, and would wait. Who comes when there is one again is let in.
  void drop_clients() {
    for (int i = 0; i < most_dropped; ++i) {
      ::close(spare_descriptor_);
      const int client = ::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC);
      spare_descriptor_ = open_spare();
      if (client < 0) return;
      if (spare_descriptor_ >= 0) {
        admit(tcp::socket(context_, acceptor_.local_endpoint().protocol(), client));
        continue;
      }
      ::close(client);
      spare_descriptor_ = open_spare();
    }
  }

  static int open_spare() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

  void forget(const HttpSession& ended) {
    sessions_.erase(&ended);
    if (stopping_ && sessions_.empty()) context_.stop();
  }

  void watch(const std::function<bool()>& stop_requested, std::chrono::milliseconds drain) {
    if (!stopping_ && stop_requested()) begin_stopping();
    if (stopping_ && (sessions_.empty() || Clock::now() - stopped_at_ >= drain)) {
      close_all();
      context_.stop();
      return;
    }
    ticker_.expires_after(stop_poll);
    ticker_.async_wait([this, &stop_requested, drain](const boost::system::error_code&) {
      watch(stop_requested, drain);
    });
  }

  void begin_stopping() {
    stopping_ = true;
    stopped_at_ = Clock::now();
    handler_.begin_drain();
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    for (const auto& session : all_sessions()) session->finish();
  }

  void close_all() {
    for (const auto& session : all_sessions()) cut_ += session->cut() ? 1 : 0;
  }

  // A copy: sessions leave the map when they close.
  std::vector<std::shared_ptr<HttpSession>> all_sessions() const {
    std::vector<std::shared_ptr<HttpSession>> all;
    for (const auto& [address, session] : sessions_) all.push_back(session);
    return all;
  }

  HttpHandler& handler_;
  const HttpLimits limits_;
  HeldBytes held_;
  ServerLog& log_;
  const TlsContext* tls_;
  int spare_descriptor_ = open_spare();
  HttpSession::Waiting waiting_;
  HttpSession::Waiting waiting_reserved_;
  net::io_context context_{1};
  tcp::acceptor acceptor_;
  const tcp::endpoint acceptor_endpoint_ = acceptor_.local_endpoint();
  net::steady_timer ticker_;
  net::steady_timer pause_;
  std::shared_ptr<ReplyGate> gate_;
  std::unordered_map<const HttpSession*, std::shared_ptr<HttpSession>> sessions_;
  bool stopping_ = false;
  Clock::time_point stopped_at_;
  int64_t cut_ = 0;
};

HttpServer::HttpServer(HttpHandler& handler, const HttpLimits& limits, const std::string& host,
                       int port, ServerLog& log, const TlsContext* tls)
    : impl_(std::make_unique<Impl>(handler, limits, host, port, log, tls)) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const {
  return impl_->endpoint().port();
}

std::string HttpServer::address() const {
  const tcp::endpoint endpoint = impl_->endpoint();
  std::string host = endpoint.address().to_string();
  if (endpoint.address().is_v6()) host = "[" + host + "]";
  return fmt::format("{}://{}:{}", impl_->scheme(), host, endpoint.port());
}

Shutdown HttpServer::run(const std::function<bool()>& stop_requested,
                         std::chrono::milliseconds drain) {
  return impl_->run(stop_requested, drain);
}

}  // namespace headroom
