// A request and a response as the API sees them: plain values with no HTTP library behind them.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

// What is known before the body arrives. Fields that the client did not send are empty.
struct HttpHead {
  std::string method;
  std::string target;  // path and query as sent
  std::string authorization;
  std::string content_type;
  std::string content_encoding;
  // Whose request this is, for fair shares: the address it came from, of IPv6 the network (/64),
  // because one client has all of that. Where keys have names, those count instead.
  std::string client;
  std::string json_length = {};  // Inference-Header-Content-Length: binary data follows the JSON
  std::string key_name = {};     // not sent: of the key that it was admitted with, for the log
  std::string request_id = {};   // X-Request-Id
  std::string traceparent = {};
  std::string priority = {};     // x-headroom-priority
  std::string parent_span = {};  // not sent: of the client's traceparent, once that one is ours
};

struct HttpRequest {
  HttpHead head;
  std::string body;
  std::chrono::steady_clock::time_point arrived;  // when the last byte was here
};

struct HttpField {
  std::string name;
  std::string value;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<HttpField> fields;  // besides type and length
  std::string body;
  std::string_view fixed_body;  // instead of `body`: lives as long as the program
  std::string request_id = {};
  std::string traceparent = {};
  // Not sent, for metrics and the log: the model asked, and its times.
  std::string model;
  double queue_ms = 0;
  double inference_ms = 0;
  double predicted_ms = 0;
  double budget = 0;  // 0: nothing ran, or rung zero alone

  std::string_view content() const { return fixed_body.empty() ? body : fixed_body; }
};

inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace headroom
