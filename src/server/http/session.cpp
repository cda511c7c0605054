#include "server/http/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <utility>

#include "server/http/client_address.h"
#include "server/http/host.h"

namespace headroom {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;

// Chunk headers may not outweigh what they carry: a million chunks of one byte are no upload.
constexpr size_t wire_bytes_per_body_byte = 2;

HttpError problem_of(const boost::system::error_code& error, const HttpLimits& limits) {
  if (error == http::error::body_limit) {
    return {HttpErrorCode::payload_too_large,
            fmt::format("the body is larger than the {} bytes that this server takes",
                        limits.body_bytes)};
  }
  if (error == http::error::header_limit) {
    return {HttpErrorCode::headers_too_large,
            fmt::format("the header is larger than the {} bytes that this server takes",
                        limits.header_bytes)};
  }
  return {HttpErrorCode::bad_request, "this is not an HTTP/1.1 request"};
}

std::string text_of(boost::beast::string_view view) {
  return {view.data(), view.size()};
}

// Exactly "chunked", or no Transfer-Encoding at all. The parser takes a coding it does not know as
// "no body", and would read the body as the next request.
bool is_known_transfer(const http::request<http::string_body>& request) {
  const auto [first, last] = request.equal_range(http::field::transfer_encoding);
  if (first == last) return true;
  return request.version() == 11 && std::next(first) == last &&
         boost::beast::iequals(first->value(), "chunked");
}

// RFC 9112, 5.2: a field that goes on in the next line. Others may take that line for a field.
bool has_folded_field(std::string_view input) {
  const std::string_view head = input.substr(0, input.find("\r\n\r\n"));
  return head.find("\n ") != std::string_view::npos || head.find("\n\t") != std::string_view::npos;
}

// The first byte of TLS is that of a handshake's record; of HTTP it is a letter.
constexpr char tls_handshake = 22;

// Of a header that is not complete, as far as it can be told: it decides how errors look.
std::string target_of(std::string_view input) {
  const std::string_view line = input.substr(0, input.find("\r\n"));
  const size_t begin = line.find(' ');
  if (begin == std::string_view::npos) return {};
  return std::string(line.substr(begin + 1, line.find(' ', begin + 1) - begin - 1));
}

HttpError no_room(std::string message) {
  HttpError error(HttpErrorCode::overloaded, std::move(message));
  error.retry_after_seconds = 1;
  return error;
}

// HttpHead::client of a connection.
std::string client_of(const net::ip::tcp::socket& socket) {
  boost::system::error_code error;
  const net::ip::address address = socket.remote_endpoint(error).address();
  return error ? "" : client_of_address(address.to_string());  // an error: already gone
}

}  // namespace

HttpSession::HttpSession(Socket socket, const Shared& shared, Waiting& waiting, bool only_probes,
                         Ended ended)
    : socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      handler_(shared.handler),
      limits_(shared.limits),
      held_(shared.held),
      gate_(shared.gate),
      reply_socket_(std::make_shared<ReplySocket>(
          socket_.native_handle(), shared.tls == nullptr ? nullptr : shared.tls->accept())),
      waiting_(waiting),
      only_probes_(only_probes),
      ended_(std::move(ended)),
      client_(client_of(socket_)),
      phase_(shared.tls == nullptr ? Phase::idle : Phase::handshake) {
  ErrorCode ignored;  // without it responses are only slower
  socket_.set_option(net::ip::tcp::no_delay(true), ignored);
}

void HttpSession::start() {
  if (phase_ == Phase::idle) return next_request();
  enter(Phase::handshake);
  wait_at_most(limits_.read);
  read();
}

void HttpSession::finish() {
  finishing_ = true;
  reply_socket_->expect_no_more();
  if (phase_ == Phase::idle || phase_ == Phase::handshake) close();
}

bool HttpSession::cut() {
  const bool under_way = phase_ == Phase::waiting || phase_ == Phase::writing;
  close();
  return under_way;
}

void HttpSession::enter(Phase phase) {
  phase_ = phase;
  if (in_waiting_) waiting_.erase(*in_waiting_);
  in_waiting_.reset();
  const bool for_client = phase != Phase::waiting && phase != Phase::closed;
  if (for_client) in_waiting_ = waiting_.insert(waiting_.end(), this);
}

void HttpSession::next_request() {
  enter(Phase::idle);
  parser_.emplace();
  parser_->eager(true);
  parser_->header_limit(static_cast<uint32_t>(limits_.header_bytes));
  parser_->body_limit(limits_.body_bytes);
  head_ = {};
  head_checked_ = false;
  head_only_ = false;
  request_bytes_ = 0;
  held_.give_back(std::exchange(counted_bytes_, 0));
  wait_at_most(limits_.idle);
  parse();
}

void HttpSession::read() {
  // What waits behind a call that is under way is bounded; the client's own buffers hold the rest.
  const bool full = received_.size() >= limits_.header_bytes + incoming_.size();
  if (read_under_way_ || full || phase_ == Phase::closed) return;
  read_under_way_ = true;
  socket_.async_read_some(net::buffer(incoming_),
                          [self = shared_from_this()](const ErrorCode& error, size_t bytes) {
                            self->on_read(error, bytes);
                          });
}

void HttpSession::on_read(const ErrorCode& error, size_t bytes) {
  try {
    take_input(error, bytes);
  } catch (const std::bad_alloc&) {
    out_of_memory();
  }
}

void HttpSession::take_input(const ErrorCode& error, size_t bytes) {
  read_under_way_ = false;
  if (phase_ == Phase::closed) return;
  if (error) return on_end_of_input();
  if (phase_ == Phase::lingering) return read();
  const std::string_view wire(incoming_.data(), bytes);
  if (phase_ == Phase::handshake) return shake_hands(wire);
  const TlsChannel::State state = reply_socket_->receive(wire, received_);
  if (state == TlsChannel::State::failed) return close();
  if (phase_ == Phase::idle || phase_ == Phase::reading) {
    parse();
  } else if (state == TlsChannel::State::open) {
    read();
  }
  if (state == TlsChannel::State::ended && phase_ != Phase::closed) on_end_of_input();
}

// Nothing is read while a reply is sent, and no response is sent before the end: what TLS says goes
// out in its order. What it says last in TLS 1.3 may go with the first response.
void HttpSession::shake_hands(std::string_view wire) {
  if (!std::exchange(greeted_, true) && wire.front() != tls_handshake) {
    reply_socket_->speak_plainly();
    received_ = wire;
    return refuse({HttpErrorCode::bad_request, "this port speaks TLS: ask https://"});
  }
  const TlsChannel::State state = reply_socket_->receive(wire, received_);
  const bool open = state == TlsChannel::State::open;
  if (open && !received_.empty()) return next_request();
  handshake_reply_ = reply_socket_->take_output();
  net::async_write(socket_, net::buffer(handshake_reply_),
                   [self = shared_from_this(), state, open](const ErrorCode& error, size_t) {
                     if (self->phase_ == Phase::closed) return;
                     if (error || (!open && state != TlsChannel::State::handshake)) {
                       return self->close();
                     }
                     open ? self->next_request() : self->read();
                   });
}

// A client that closes its sending side while it waits is taken as gone, as nginx does.
void HttpSession::on_end_of_input() {
  if (phase_ == Phase::writing) {
    keep_alive_ = false;
  } else {
    close();
  }
}

// RFC 9112, 2.2: some clients send one after a body. Nothing of a request is here yet: a client
// that sends nothing else is idle.
void HttpSession::skip_empty_lines() {
  size_t end = 0;
  while (received_.compare(end, 2, "\r\n") == 0) end += 2;
  received_.erase(0, end);
}

void HttpSession::parse() {
  if (request_bytes_ == 0) {
    skip_empty_lines();
    if (received_ == "\r") return read();  // half of one
  }
  while (!received_.empty()) {
    if (phase_ == Phase::idle) {
      enter(Phase::reading);
      wait_at_most(limits_.read);
    }
    ErrorCode error;
    const size_t used = parser_->put(net::buffer(received_), error);  // of a header: all or nothing
    if (used > 0 && request_bytes_ == 0 && has_folded_field(received_)) {
      return refuse({HttpErrorCode::bad_request, "a header field goes on in the next line"});
    }
    received_.erase(0, used);
    request_bytes_ += used;
    if (!hold_body()) return refuse(no_room("this server has no memory for another request now"));
    const bool needs_more = error == http::error::need_more;
    if (error && !needs_more) return refuse(problem_of(error, limits_));
    if (parser_->is_header_done() && !head_checked_ && !head_is_fine()) return;
    if (parser_->is_done()) return dispatch();
    if (request_bytes_ > limits_.header_bytes + wire_bytes_per_body_byte * limits_.body_bytes) {
      return refuse(problem_of(http::error::body_limit, limits_));
    }
    if (needs_more) break;
  }
  if (received_.size() > limits_.header_bytes) {  // a chunk header or trailer without an end
    return refuse(problem_of(http::error::header_limit, limits_));
  }
  read();
}

// Counts the memory that the body has or will have: what was announced, or up to twice what came.
bool HttpSession::hold_body() {
  if (!parser_->is_header_done()) return true;
  const uint64_t announced = parser_->content_length().value_or(0);
  const size_t taken = std::max<size_t>(announced, parser_->get().body().capacity());
  const size_t counted = taken - std::min(taken, limits_.small_body_bytes);
  if (counted <= counted_bytes_) return true;
  if (!held_.take(counted - counted_bytes_)) return false;
  counted_bytes_ = counted;
  return true;
}

// What the handler has may still be answered: then there can be no other answer.
void HttpSession::out_of_memory() noexcept {
  try {
    if (phase_ == Phase::waiting || phase_ == Phase::writing) return close();
    parser_.reset();
    std::string().swap(received_);
    refuse({HttpErrorCode::out_of_memory, "this server has no memory for this request now"});
  } catch (const std::bad_alloc&) {
    close();
  }
}

// False when the request was refused.
bool HttpSession::head_is_fine() {
  head_checked_ = true;
  const auto& request = parser_->get();
  keep_alive_ = request.keep_alive();
  head_only_ = request.method() == http::verb::head;
  head_ = head_so_far();
  if (const std::optional<HttpError> problem = problem_of_head()) {
    refuse(*problem);
    return false;
  }
  if (only_probes_) keep_alive_ = false;
  if (parser_->is_done()) return true;
  if (std::optional<HttpResponse> refused = handler_.refuse_early(head_)) {
    keep_alive_ = false;  // the body that follows is not read
    write(std::move(*refused));
    return false;
  }
  const bool waits = boost::beast::iequals(request[http::field::expect], "100-continue");
  if (waits && request.version() == 11) invite_body();
  return phase_ == Phase::reading;
}

// Of the fields that the parser has come to, and of a damaged line what it asks for at least.
HttpHead HttpSession::head_so_far() const {
  HttpHead head;
  head.client = client_;
  const bool begun = parser_ && !parser_->get().target().empty();
  if (!begun) {
    head.target = target_of(received_);
    return head;
  }
  const auto& request = parser_->get();
  head.method = text_of(request.method_string());
  head.target = text_of(request.target());
  head.authorization = text_of(request[http::field::authorization]);
  head.content_type = text_of(request[http::field::content_type]);
  head.content_encoding = text_of(request[http::field::content_encoding]);
  head.json_length = text_of(request["Inference-Header-Content-Length"]);
  head.request_id = text_of(request["X-Request-Id"]);
  head.traceparent = text_of(request["traceparent"]);
  head.priority = text_of(request["x-headroom-priority"]);
  return head;
}

std::optional<HttpError> HttpSession::problem_of_head() const {
  const auto& request = parser_->get();
  if (static_cast<size_t>(std::distance(request.begin(), request.end())) > limits_.fields) {
    return HttpError(HttpErrorCode::headers_too_large,
                     fmt::format("the header has more than {} fields", limits_.fields));
  }
  const size_t hosts = request.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && request.version() == 11)) {
    return HttpError(HttpErrorCode::bad_request, "an HTTP/1.1 request has exactly one Host field");
  }
  const std::string_view authority = authority_of(head_.target);
  const bool known =
      (hosts == 0 || is_allowed_host(text_of(request[http::field::host]), limits_.allowed_hosts)) &&
      (authority.empty() || is_allowed_host(authority, limits_.allowed_hosts));
  if (!known) {
    return HttpError(HttpErrorCode::misdirected_request,
                     "Host is no name of this server; --allowed-host adds one");
  }
  if (!is_known_transfer(request)) {
    return HttpError(HttpErrorCode::bad_request, "Transfer-Encoding must be chunked or absent");
  }
  if (only_probes_ && !handler_.is_probe(head_)) {
    return no_room("this server has no room for another connection");
  }
  return std::nullopt;
}

// Nothing else is being written now, so 25 bytes always fit; a client for which they do not has
// stopped reading.
void HttpSession::invite_body() {
  static constexpr std::string_view invitation = "HTTP/1.1 100 Continue\r\n\r\n";
  if (!reply_socket_->send_now(invitation)) close();
}

void HttpSession::dispatch() {
  enter(Phase::waiting);
  timer_.cancel();
  HttpRequest request{std::move(head_), std::move(parser_->get().body()),
                      std::chrono::steady_clock::now()};
  const auto reply = [gate = gate_, socket = reply_socket_, weak = weak_from_this(),
                      keep_alive = keep_alive_, head_only = head_only_](HttpResponse response) {
    try {
      SentResponse sent = socket->send(std::move(response), keep_alive, head_only);
      gate->post([weak, sent = std::move(sent)]() mutable {
        const auto self = weak.lock();
        if (self && self->phase_ == Phase::waiting) self->on_sent(std::move(sent));
      });
    } catch (const std::bad_alloc&) {
      socket->give_up();
    }
  };
  abandon_ = handler_.handle(std::move(request), reply);
  read();
}

void HttpSession::refuse(const HttpError& error) {
  keep_alive_ = false;  // where the next request would start is not known
  write(handler_.refuse(head_checked_ ? head_ : head_so_far(), error));
}

void HttpSession::write(HttpResponse response) {
  on_sent(reply_socket_->send(std::move(response), keep_alive_, head_only_));
}

void HttpSession::on_sent(SentResponse sent) {
  enter(Phase::writing);
  abandon_ = nullptr;
  sent_ = std::move(sent);
  if (sent_.complete()) return on_written({});
  wait_at_most(limits_.write);
  const std::string_view content = sent_.content();
  const size_t of_head = std::min(sent_.bytes, sent_.head.size());
  const std::array<net::const_buffer, 2> rest = {
      net::buffer(sent_.head) + of_head,
      net::buffer(content.data(), content.size()) + (sent_.bytes - of_head)};
  net::async_write(socket_, rest,
                   [self = shared_from_this()](const ErrorCode& error, size_t /*bytes*/) {
                     self->on_written(error);
                   });
}

void HttpSession::on_written(const ErrorCode& error) {
  if (phase_ == Phase::closed) return;
  if (error) return close();
  if (keep_alive_ && !finishing_) return next_request();
  linger();
}

// Closing a socket with unread input resets the connection, and the client may lose the response:
// so only our side is closed, and the client's input read to its end for a while.
void HttpSession::linger() {
  reply_socket_->say_goodbye();
  ErrorCode error;
  socket_.shutdown(Socket::shutdown_send, error);
  if (error) return close();
  enter(Phase::lingering);
  std::string().swap(received_);
  parser_.reset();
  held_.give_back(std::exchange(counted_bytes_, 0));
  wait_at_most(limits_.linger);
  read();
}

void HttpSession::close() {
  if (phase_ == Phase::closed) return;
  const auto self = shared_from_this();
  enter(Phase::closed);
  reply_socket_->let_go();
  held_.give_back(std::exchange(counted_bytes_, 0));
  ErrorCode ignored;
  socket_.close(ignored);
  timer_.cancel();
  if (const Abandon abandon = std::exchange(abandon_, nullptr)) abandon();
  ended_(*this);
}

void HttpSession::wait_at_most(std::chrono::milliseconds time) {
  timer_.expires_after(time);
  timer_.async_wait([self = shared_from_this()](const ErrorCode& error) {
    const bool replaced = self->timer_.expiry() > std::chrono::steady_clock::now();
    if (error || replaced) return;
    try {
      self->on_timeout();
    } catch (const std::bad_alloc&) {
      self->close();
    }
  });
}

void HttpSession::on_timeout() {
  if (phase_ != Phase::reading) return close();
  refuse({HttpErrorCode::request_timeout, "the request did not arrive in time"});
}

}  // namespace headroom
