// Sends responses from whatever thread has them. Handing a response to the thread of the sockets
// first would wake a sleeping core on the way to the client: on an otherwise idle virtual machine
// that took 30 to 50 µs, a fifth of a small text's time.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "server/http/message.h"

namespace headroom {

struct SentResponse {
  HttpResponse response;
  std::string head;
  bool head_only = false;  // to HEAD: the content is not sent
  size_t bytes = 0;        // of head and content that the client's side has taken

  std::string_view content() const { return head_only ? std::string_view() : response.content(); }
  bool complete() const { return bytes == head.size() + content().size(); }
};

class ReplySocket {
 public:
  explicit ReplySocket(int descriptor) : descriptor_(descriptor) {}

  // As much as the socket takes at once; the caller sees to the rest.
  SentResponse send(HttpResponse response, bool keep_alive, bool head_only);

  // Responses say from now on that the connection will be closed.
  void expect_no_more();

  // Ends the connection: the response could not be made.
  void give_up() noexcept;

  // Call before the descriptor is closed: nothing is sent after that.
  void let_go();

 private:
  std::mutex mutex_;
  int descriptor_;
  bool last_ = false;
};

}  // namespace headroom
