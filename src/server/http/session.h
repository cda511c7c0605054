// One connection: reads requests one after the other, hands them to the handler and writes the
// responses in the same order. While a call is under way it keeps reading, so that it notices at
// once when the client leaves. Everything here runs on the server's one thread; only sending a
// response may start elsewhere (reply_socket.h).
#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "server/http/handler.h"
#include "server/http/held_bytes.h"
#include "server/http/limits.h"
#include "server/http/reply_gate.h"
#include "server/http/reply_socket.h"

namespace headroom {

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using Ended = std::function<void(HttpSession&)>;  // the connection is closed
  // Sessions that wait for their client to send or to read, the longest first: whom to close when
  // there is no room.
  using Waiting = std::list<HttpSession*>;

  // What sessions share; it outlives them.
  struct Shared {
    HttpHandler& handler;
    const HttpLimits& limits;
    HeldBytes& held;
    std::shared_ptr<ReplyGate> gate;
    const TlsContext* tls = nullptr;  // none: HTTP without it
  };

  // `waiting` outlives the session. With `only_probes` it answers nothing else (handler.h).
  HttpSession(Socket socket, const Shared& shared, Waiting& waiting, bool only_probes, Ended ended);

  void start();
  // Closes now if nothing is under way, otherwise after the response that is.
  void finish();
  // Closes now. Returns whether a request was cut.
  bool cut();

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using ErrorCode = boost::system::error_code;

  enum class Phase {
    handshake,  // of TLS
    idle,       // no byte of the next request is here
    reading,    // some are
    waiting,    // the handler has the request
    writing,    // the client gets the response
    lingering,  // all is said; what still comes is thrown away until the client hangs up
    closed,
  };

  void enter(Phase phase);
  void next_request();
  void read();
  void on_read(const ErrorCode& error, size_t bytes);
  void take_input(const ErrorCode& error, size_t bytes);
  void shake_hands(std::string_view wire);
  void on_end_of_input();
  void parse();
  void skip_empty_lines();
  bool head_is_fine();
  std::optional<HttpError> problem_of_head() const;
  HttpHead head_so_far() const;
  void invite_body();
  void dispatch();
  void refuse(const HttpError& error);
  void out_of_memory() noexcept;
  void write(HttpResponse response);
  void on_sent(SentResponse sent);
  void on_written(const ErrorCode& error);
  void linger();
  void close();
  bool hold_body();
  void wait_at_most(std::chrono::milliseconds time);
  void on_timeout();

  Socket socket_;
  boost::asio::steady_timer timer_;
  HttpHandler& handler_;
  const HttpLimits& limits_;
  HeldBytes& held_;
  std::shared_ptr<ReplyGate> gate_;
  std::shared_ptr<ReplySocket> reply_socket_;
  Waiting& waiting_;
  std::optional<Waiting::iterator> in_waiting_;
  const bool only_probes_;
  Ended ended_;

  const std::string client_;
  Phase phase_;
  std::optional<Parser> parser_;
  HttpHead head_;
  bool head_checked_ = false;
  bool head_only_ = false;  // HEAD: the response's content is not sent
  bool keep_alive_ = true;
  bool finishing_ = false;  // no request after this one
  bool read_under_way_ = false;
  size_t request_bytes_ = 0;  // as they came, chunk headers included
  size_t counted_bytes_ = 0;  // of the body, in held_, until the answer is sent
  std::string received_;      // and not parsed yet
  std::array<char, 16'384> incoming_;
  bool greeted_ = false;         // something came
  std::string handshake_reply_;  // while it is sent
  SentResponse sent_;
  Abandon abandon_;
};

}  // namespace headroom
