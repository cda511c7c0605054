#include "server/http/error.h"

#include <cmath>
#include <utility>

#include "base/json.h"

namespace headroom {
namespace {

struct CodeEntry {
  HttpErrorCode code;
  int status;
  std::string_view name;
  std::string_view type;
  std::string_view tei = "Validation";  // ErrorShape::tei's word for it
};

constexpr CodeEntry codes[] = {
    {HttpErrorCode::bad_request, 400, "bad_request", "invalid_request_error"},
    {HttpErrorCode::unauthorized, 401, "unauthorized", "authentication_error"},
    {HttpErrorCode::forbidden, 403, "forbidden", "permission_error"},
    {HttpErrorCode::not_found, 404, "not_found", "not_found_error"},
    {HttpErrorCode::method_not_allowed, 405, "method_not_allowed", "invalid_request_error"},
    {HttpErrorCode::request_timeout, 408, "request_timeout", "invalid_request_error"},
    {HttpErrorCode::payload_too_large, 413, "payload_too_large", "invalid_request_error"},
    {HttpErrorCode::unsupported_media_type, 415, "unsupported_media_type", "invalid_request_error"},
    {HttpErrorCode::misdirected_request, 421, "misdirected_request", "invalid_request_error"},
    {HttpErrorCode::unprocessable, 422, "unprocessable", "invalid_request_error"},
    {HttpErrorCode::deadline_unreachable, 422, "deadline_unreachable", "invalid_request_error"},
    {HttpErrorCode::overloaded, 429, "overloaded", "overloaded_error", "Overloaded"},
    {HttpErrorCode::quota_exceeded, 429, "quota_exceeded", "rate_limit_error", "Overloaded"},
    {HttpErrorCode::headers_too_large, 431, "headers_too_large", "invalid_request_error"},
    {HttpErrorCode::internal, 500, "internal", "server_error", "Backend"},
    {HttpErrorCode::draining, 503, "draining", "server_error", "Unhealthy"},
    {HttpErrorCode::out_of_memory, 503, "out_of_memory", "server_error", "Overloaded"},
};

const CodeEntry& entry_of(HttpErrorCode code) {
  for (const CodeEntry& entry : codes) {
    if (entry.code == code) return entry;
  }
  return entry_of(HttpErrorCode::internal);
}

// A message may quote what the client sent; two megabytes of it help nobody.
std::string shortened(const std::string& message) {
  constexpr size_t longest = 400;
  if (message.size() <= longest) return message;
  size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0) == 0x80) --end;
  return message.substr(0, end) + "…";
}

}  // namespace

int http_status(HttpErrorCode code) {
  return entry_of(code).status;
}

std::string_view http_error_name(HttpErrorCode code) {
  return entry_of(code).name;
}

std::string_view http_reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

HttpError::HttpError(HttpErrorCode code, std::string message)
    : code_(code), message_(std::move(message)) {}

HttpResponse error_response(const HttpError& error, ErrorShape shape) {
  const CodeEntry& entry = entry_of(error.code());
  HttpResponse response;
  response.status = entry.status;
  const std::string message = shortened(error.message());
  Json body;
  if (shape != ErrorShape::plain) {
    body["error"] = message;
    if (shape == ErrorShape::tei) body["error_type"] = entry.tei;
  } else {
    body["error"]["code"] = entry.name;
    body["error"]["message"] = message;
    body["error"]["type"] = entry.type;
    if (error.retry_after_seconds) {
      body["error"]["retry_after_seconds"] = *error.retry_after_seconds;
    }
  }
  response.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (error.retry_after_seconds) {
    const double whole = std::ceil(std::max(1.0, *error.retry_after_seconds));
    response.fields.push_back({"Retry-After", std::to_string(static_cast<int64_t>(whole))});
  }
  if (!error.allow.empty()) response.fields.push_back({"Allow", error.allow});
  if (error.code() == HttpErrorCode::unauthorized) {
    response.fields.push_back({"WWW-Authenticate", "Bearer"});
  }
  response.fields.push_back({std::string(error_code_field), std::string(entry.name)});
  return response;
}

}  // namespace headroom
