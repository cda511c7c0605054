// Between the sockets and the API: sessions hand over whole requests and get responses back, at
// once or later, from any thread.
#pragma once

#include <functional>
#include <optional>

#include "server/http/error.h"
#include "server/http/message.h"

namespace headroom {

using Reply = std::function<void(HttpResponse)>;
using Abandon = std::function<void()>;  // empty: nothing to abandon

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  // What can be refused before the body is read; nothing lets the body come.
  virtual std::optional<HttpResponse> refuse_early(const HttpHead& head) = 0;

  // Calls `reply` exactly once, before it returns or later from any thread. Calling what it returns
  // says that the client has gone and the answer is not wanted. Several threads at once: the
  // sockets have one, gRPC has its own.
  virtual Abandon handle(HttpRequest request, Reply reply) = 0;

  // Whether it asks how the server is, which is answered when nothing else can be any more.
  virtual bool is_probe(const HttpHead& head) const = 0;

  // The response to what never became a request: damaged, too large, too slow. Of its head what is
  // known.
  virtual HttpResponse refuse(const HttpHead& head, const HttpError& error) = 0;

  // From now on the server is not ready and takes no new calls.
  virtual void begin_drain() = 0;
};

}  // namespace headroom
