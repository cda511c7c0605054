#include "server/api/router.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/join.h"
#include "server/telemetry/trace.h"

namespace headroom::server {
namespace {

using Segments = std::vector<std::string>;

constexpr std::string_view model_parameter = "{model}";
constexpr std::string_view version_parameter = "{version}";

bool path_matches(const Segments& pattern, const Segments& path) {
  return std::equal(pattern.begin(), pattern.end(), path.begin(), path.end(),
                    [](const std::string& wanted, const std::string& found) {
                      const bool parameter =
                          wanted == model_parameter || wanted == version_parameter;
                      return wanted == found || (parameter && !found.empty());
                    });
}

// Whose errors paths speak, those below them included.
struct ShapedPath {
  std::string_view path;
  ErrorShape shape;
};

constexpr ShapedPath shaped_paths[] = {
    {"/v2", ErrorShape::kserve},  {"/predict", ErrorShape::tei}, {"/embed", ErrorShape::tei},
    {"/rerank", ErrorShape::tei}, {"/health", ErrorShape::tei},
};

// Of the path alone, also when the target is a whole URL ("http://host/v2").
ErrorShape shape_of(std::string_view target) {
  if (const size_t scheme = target.find("://"); scheme != std::string_view::npos) {
    const size_t path = target.find('/', scheme + 3);
    target = path == std::string_view::npos ? "/" : target.substr(path);
  }
  for (const ShapedPath& shaped : shaped_paths) {
    if (!target.starts_with(shaped.path)) continue;
    const std::string_view rest = target.substr(shaped.path.size());
    if (rest.empty() || rest[0] == '/' || rest[0] == '?') return shaped.shape;
  }
  return ErrorShape::plain;
}

// "application/json; charset=utf-8" as {"application/json", "charset=utf-8"}, in lower case.
Segments media_type_parts(std::string_view field) {
  Segments parts(1);
  for (const char c : field) {
    if (c == ';') {
      parts.emplace_back();
    } else if (c != ' ' && c != '\t') {
      parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return parts;
}

bool is_utf8_parameter(const std::string& parameter) {
  return parameter.empty() || !parameter.starts_with("charset=") || parameter == "charset=utf-8" ||
         parameter == "charset=\"utf-8\"" || parameter == "charset=utf8";
}

void check_media_type(const HttpHead& head, bool takes_binary) {
  if (!head.content_encoding.empty() && media_type_parts(head.content_encoding)[0] != "identity") {
    throw HttpError(HttpErrorCode::unsupported_media_type,
                    "Content-Encoding is not supported: send the body as plain JSON");
  }
  // Required: without it a page of another origin could post here, and its browser would not ask.
  const Segments parts = media_type_parts(head.content_type);
  const bool binary = takes_binary && !head.json_length.empty();
  if (parts[0] != "application/json" && !(binary && parts[0] == "application/octet-stream")) {
    throw HttpError(HttpErrorCode::unsupported_media_type, "Content-Type must be application/json");
  }
  if (!std::all_of(parts.begin() + 1, parts.end(), is_utf8_parameter)) {
    throw HttpError(HttpErrorCode::unsupported_media_type, "charset must be utf-8");
  }
}

// A request that waits for the pool, whose client may leave at any time.
struct PooledRequest {
  std::mutex mutex;
  bool gone = false;
  Abandon abandon;  // once it is handled
};

// What a request asks for, which is no more than its key allows; without keys nobody is above the
// others.
Priority priority_of(const HttpHead& head, const KeyHolder* key) {
  const Priority most = key != nullptr ? key->rules().priority : Priority::normal;
  if (head.priority.empty()) return most;
  const std::optional<Priority> asked = priority_table.find(head.priority);
  if (!asked) {
    throw HttpError(HttpErrorCode::bad_request,
                    "x-headroom-priority is not one of " + priority_table.list());
  }
  if (key != nullptr) key->require_priority(*asked);
  if (*asked < most) {
    throw HttpError(HttpErrorCode::forbidden,
                    "priority high needs a key that has it; this server has no file of keys");
  }
  return *asked;
}

// The client's trace goes on, or one begins: from now on the head has ours.
void begin_span(HttpHead& head) {
  Trace trace = continue_trace(head.traceparent, head.request_id);
  head.traceparent = trace.traceparent();
  head.request_id = std::move(trace.request_id);
  head.parent_span = std::move(trace.parent_span);
}

void add_ids(const HttpHead& head, HttpResponse& response) {
  response.request_id = head.request_id;
  response.traceparent = head.traceparent;
}

HttpResponse options_response(std::string allow) {
  HttpResponse response;
  response.status = 204;
  response.content_type.clear();
  response.fields.push_back({"Allow", std::move(allow)});
  return response;
}

}  // namespace

Route immediate(std::string path, std::function<HttpResponse(const ApiRequest& request)> answer) {
  return {"GET", std::move(path), true,
          [answer = std::move(answer)](const ApiRequest& request, const Reply& reply) {
            reply(answer(request));
            return Abandon();
          }};
}

HttpResponse client_left_response() {
  HttpResponse response;
  response.status = 499;  // as nginx counts clients that left
  return response;
}

Router::Router(std::vector<Route> routes, const std::string& api_key, RequestObserver& observer,
               std::function<void()> on_drain, std::unique_ptr<RequestPool> pool)
    : Router(std::move(routes), std::make_shared<const KeyRing>(api_key), observer,
             std::move(on_drain), std::move(pool)) {}

Router::Router(std::vector<Route> routes, std::shared_ptr<const KeyRing> keys,
               RequestObserver& observer, std::function<void()> on_drain,
               std::unique_ptr<RequestPool> pool)
    : keys_(std::move(keys)),
      observer_(observer),
      on_drain_(std::move(on_drain)),
      pool_(std::move(pool)) {
  replace(std::move(routes), nullptr);
}

void Router::replace(std::vector<Route> routes, std::shared_ptr<void> in_use) {
  const auto fresh = std::make_shared<Table>();
  fresh->in_use = std::move(in_use);
  for (Route& route : routes) {
    Segments segments = parse_url(route.path).segments;
    fresh->entries.push_back({std::move(route), std::move(segments)});
  }
  const std::lock_guard lock(mutex_);
  table_ = fresh;
}

std::shared_ptr<const Router::Table> Router::table() const {
  const std::lock_guard lock(mutex_);
  return table_;
}

std::vector<std::string> Router::names() const {
  const auto table = this->table();
  std::vector<std::string> names;
  names.reserve(table->entries.size());
  for (const Entry& entry : table->entries) {
    names.push_back(entry.route.method + " " + entry.route.path);
  }
  return names;
}

// Paths that nobody serves need the key too: without it nothing is told about what is here.
Router::Admitted Router::at_path(const Table& table, const HttpHead& head, const Url& url) const {
  Admitted found;
  for (const Entry& entry : table.entries) {
    if (path_matches(entry.segments, url.segments)) found.candidates.push_back(&entry);
  }
  const bool open = !found.candidates.empty() && !found.candidates.front()->route.needs_key;
  if (!open) found.key = keys_->admit(head.authorization);
  if (found.candidates.empty()) {
    throw HttpError(HttpErrorCode::not_found,
                    "nothing is served at this path; GET /docs/openapi.json lists what is");
  }
  if (found.key && head.method == "POST") found.key->require_asking();
  if (found.candidates.front()->route.needs_admin) {
    if (!found.key) {
      throw HttpError(HttpErrorCode::forbidden,
                      "this path needs a key of --api-keys with \"admin\", or the admin port");
    }
    found.key->require_admin();
  }
  return found;
}

const Router::Entry& Router::with_method(const Entries& candidates, const HttpHead& head) {
  const std::string_view asked = head.method;
  const std::string_view wanted = asked == "HEAD" ? "GET" : asked;
  for (const Entry* entry : candidates) {
    if (entry->route.method != wanted) continue;
    if (wanted == "POST") check_media_type(head, entry->route.takes_binary);
    return *entry;
  }
  HttpError error(HttpErrorCode::method_not_allowed, "this path does not have that method");
  error.allow = allowed_methods(candidates);
  throw error;
}

std::string Router::allowed_methods(const Entries& candidates) {
  Segments methods;
  for (const Entry* entry : candidates) {
    methods.push_back(entry->route.method);
    if (entry->route.method == "GET") methods.emplace_back("HEAD");
  }
  methods.emplace_back("OPTIONS");
  return join(methods, ", ");
}

std::optional<HttpResponse> Router::refuse_early(const HttpHead& head) {
  try {
    const auto table = this->table();
    const Admitted found = at_path(*table, head, parse_url(head.target));
    if (head.method != "OPTIONS") with_method(found.candidates, head);
    return std::nullopt;
  } catch (const HttpError& error) {
    return refuse(head, error);
  }
}

HttpResponse Router::refuse(const HttpHead& head, const HttpError& error) {
  HttpHead traced = head;
  begin_span(traced);
  HttpResponse response = error_response(error, shape_of(head.target));
  add_ids(traced, response);
  observer_.request_done(traced, response, 0);
  return response;
}

Abandon Router::handle(HttpRequest request, Reply reply) {
  const ErrorShape shape = shape_of(request.head.target);
  const auto arrived = request.arrived;
  const auto head = std::make_shared<HttpHead>(std::move(request.head));
  begin_span(*head);
  const auto table = this->table();  // which the request keeps until it is answered
  const auto finish = [this, head, arrived, table,
                       reply = std::move(reply)](HttpResponse response) {
    add_ids(*head, response);
    observer_.request_done(*head, response, seconds_since(arrived));
    reply(std::move(response));
  };
  try {
    Url url = parse_url(head->target);
    const Admitted found = at_path(*table, *head, url);
    if (head->method == "OPTIONS") {
      finish(options_response(allowed_methods(found.candidates)));
      return {};
    }
    const Entry& entry = with_method(found.candidates, *head);
    ApiRequest wanted{std::move(request.body),
                      arrived,
                      "",
                      "",
                      std::move(url.query),
                      head->client,
                      shape,
                      head->json_length,
                      found.key,
                      priority_of(*head, found.key.get())};
    if (found.key) {
      head->key_name = found.key->name();
      wanted.client = "key " + head->key_name;
      if (head->method == "POST") found.key->take_request(steady_seconds());
    }
    for (size_t i = 0; i < entry.segments.size(); ++i) {
      if (entry.segments[i] == model_parameter) wanted.model = std::move(url.segments[i]);
      if (entry.segments[i] == version_parameter) wanted.version = std::move(url.segments[i]);
    }
    const bool here = entry.route.quick || pool_ == nullptr;
    return here ? answer(entry.route, std::move(wanted), finish)
                : answer_on_pool(entry.route, std::move(wanted), finish);
  } catch (const HttpError& error) {
    finish(error_response(error, shape));
    return {};
  }
}

Abandon Router::answer(const Route& route, ApiRequest request, const Reply& reply) {
  const ErrorShape shape = request.shape;
  const auto fail = [&](const HttpError& error) {
    reply(error_response(error, shape));
    return Abandon();
  };
  try {
    return route.answer(std::move(request), reply);
  } catch (const HttpError& error) {
    return fail(error);
  } catch (const Error& error) {
    const bool theirs = error.code() == ErrorCode::bad_data || error.code() == ErrorCode::usage;
    if (theirs) return fail({HttpErrorCode::unprocessable, error.message()});
    observer_.request_failed(error.what());
  } catch (const std::bad_alloc&) {
    return fail({HttpErrorCode::out_of_memory, "this server has no memory for this request now"});
  } catch (const std::exception& problem) {
    observer_.request_failed(problem.what());
  }
  return fail({HttpErrorCode::internal, "the server could not answer; its log says why"});
}

Abandon Router::answer_on_pool(const Route& route, ApiRequest request, const Reply& reply) {
  const auto pooled = std::make_shared<PooledRequest>();
  const auto waiting = std::make_shared<ApiRequest>(std::move(request));
  const bool posted =
      pool_->post(waiting->client, waiting->body.size(), [this, &route, pooled, waiting, reply] {
        {
          const std::lock_guard lock(pooled->mutex);
          if (pooled->gone) return reply(client_left_response());
        }
        const Abandon abandon = answer(route, std::move(*waiting), reply);
        std::unique_lock lock(pooled->mutex);
        pooled->abandon = abandon;
        if (!pooled->gone || !abandon) return;
        lock.unlock();
        abandon();
      });
  if (!posted) {
    HttpError error(HttpErrorCode::overloaded, "too many requests are waiting to be read");
    error.retry_after_seconds = 1;
    reply(error_response(error, waiting->shape));
    return {};
  }
  return [pooled] {
    std::unique_lock lock(pooled->mutex);
    pooled->gone = true;
    const Abandon abandon = std::exchange(pooled->abandon, nullptr);
    lock.unlock();
    if (abandon) abandon();
  };
}

}  // namespace headroom::server
