// From a request to the function that answers it: API keys, path, method, content type, and errors
// in the shape that the path speaks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/http/handler.h"
#include "server/http/url.h"
#include "server/keys/key_ring.h"
#include "server/service/request_pool.h"

namespace headroom::server {

struct ApiRequest {
  std::string body;
  std::chrono::steady_clock::time_point arrived;
  std::string model;                         // from the path; empty: none there
  std::string version;                       // likewise
  std::map<std::string, std::string> query;  // decoded
  std::string client;
  ErrorShape shape = ErrorShape::plain;  // that the path speaks
  std::string json_length = {};          // of a body with binary data behind its JSON; else empty
  std::shared_ptr<KeyHolder> key = {};   // nobody in particular without a file of keys
  Priority priority = Priority::normal;
};

struct Route {
  std::string method;  // "GET" (and HEAD with it) or "POST"
  std::string path;    // "/v2/models/{model}/infer"; {model} and {version} are any segment
  bool needs_key = true;
  std::function<Abandon(ApiRequest request, Reply reply)> answer;
  // Answered on the thread of the sockets, without waiting for anybody: health above all.
  bool quick = false;
  // Binary data may follow the JSON of a body (HttpHead::json_length).
  bool takes_binary = false;
  // Only for keys that say so: it changes what others get.
  bool needs_admin = false;
};

// A route whose answer is there at once.
Route immediate(std::string path, std::function<HttpResponse(const ApiRequest& request)> answer);

// What nobody reads, for those who count.
HttpResponse client_left_response();

// Who wants to know of every response: metrics, and the log of requests.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void request_done(const HttpHead& head, const HttpResponse& response,
                            double seconds) noexcept = 0;
  // Something of ours went wrong; clients are only told that much.
  virtual void request_failed(const std::string& why) noexcept = 0;
};

class Router : public HttpHandler {
 public:
  // `observer` outlives the router; `on_drain` is called once. Without a pool all requests are
  // handled at once.
  Router(std::vector<Route> routes, std::shared_ptr<const KeyRing> keys, RequestObserver& observer,
         std::function<void()> on_drain, std::unique_ptr<RequestPool> pool = nullptr);
  // With one key for everybody; empty: none.
  Router(std::vector<Route> routes, const std::string& api_key, RequestObserver& observer,
         std::function<void()> on_drain, std::unique_ptr<RequestPool> pool = nullptr);

  std::optional<HttpResponse> refuse_early(const HttpHead& head) override;
  Abandon handle(HttpRequest request, Reply reply) override;
  bool is_probe(const HttpHead& head) const override {
    return head.target == "/health" || head.target.starts_with("/v2/health/");
  }
  HttpResponse refuse(const HttpHead& head, const HttpError& error) override;
  void begin_drain() override { on_drain_(); }

  // Other routes for the requests that come from now on. Each keeps `in_use` until it is answered.
  // Any thread.
  void replace(std::vector<Route> routes, std::shared_ptr<void> in_use);

  // "GET /v1/models", for the document that describes them.
  std::vector<std::string> names() const;

 private:
  struct Entry {
    Route route;
    std::vector<std::string> segments;
  };

  struct Table {
    std::vector<Entry> entries;
    std::shared_ptr<void> in_use;
  };

  using Entries = std::vector<const Entry*>;
  struct Admitted {
    Entries candidates;  // the routes at a path, one per method
    std::shared_ptr<KeyHolder> key;
  };

  // Throws HttpError when there is no route, the key is wrong or may not do this.
  Admitted at_path(const Table& table, const HttpHead& head, const Url& url) const;
  // Throws HttpError for a method that the path lacks or a body that it does not take.
  static const Entry& with_method(const Entries& candidates, const HttpHead& head);
  static std::string allowed_methods(const Entries& candidates);

  // Calls `reply` with what goes wrong.
  Abandon answer(const Route& route, ApiRequest request, const Reply& reply);
  Abandon answer_on_pool(const Route& route, ApiRequest request, const Reply& reply);

  std::shared_ptr<const Table> table() const;

  mutable std::mutex mutex_;  // guards the pointer
  std::shared_ptr<const Table> table_;
  std::shared_ptr<const KeyRing> keys_;
  RequestObserver& observer_;
  std::function<void()> on_drain_;
  std::unique_ptr<RequestPool> pool_;  // last: ends before what its requests use
};

}  // namespace headroom::server
