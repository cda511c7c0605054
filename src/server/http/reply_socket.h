// Sends responses from whatever thread has them. Handing a response to the thread of the sockets
// first would wake a sleeping core on the way to the client: on an otherwise idle virtual machine
// that took 30 to 50 µs, a fifth of a small text's time.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "server/http/message.h"
#include "server/http/tls.h"

namespace headroom {

struct SentResponse {
  HttpResponse response;
  std::string head;        // with TLS all of the response, encrypted
  bool head_only = false;  // the content is not sent: to HEAD, or because it is in `head`
  size_t bytes = 0;        // of head and content that the client's side has taken

  std::string_view content() const { return head_only ? std::string_view() : response.content(); }
  bool complete() const { return bytes == head.size() + content().size(); }
};

class ReplySocket {
 public:
  explicit ReplySocket(int descriptor, std::unique_ptr<TlsChannel> tls = nullptr)
      : descriptor_(descriptor), tls_(std::move(tls)) {}

  // What bytes of the socket say, appended to `plain`.
  TlsChannel::State receive(std::string_view wire, std::string& plain);
  // What TLS itself has to say, for the caller to send while there is no response.
  std::string take_output();
  // From now on no TLS is spoken: the client does not.
  void speak_plainly();
  // Before the connection ends.
  void say_goodbye();
  // All of it, now; false when the client's side does not take it.
  bool send_now(std::string_view plain);

  // As much as the socket takes at once; the caller sees to the rest.
  SentResponse send(HttpResponse response, bool keep_alive, bool head_only);

  // Responses say from now on that the connection will be closed.
  void expect_no_more();

  // Ends the connection: the response could not be made.
  void give_up() noexcept;

  // Call before the descriptor is closed: nothing is sent after that.
  void let_go();

 private:
  size_t put(std::string_view head, std::string_view content) const;

  std::mutex mutex_;
  int descriptor_;
  std::unique_ptr<TlsChannel> tls_;
  bool last_ = false;
};

}  // namespace headroom
