// Everything a client can be told to have gone wrong, in one shape:
//   {"error":{"code":"overloaded","message":"...","type":"overloaded_error"}}
// which is OpenAI's too; under /v2 in KServe's: {"error":"..."}, and at the paths of Text
// Embeddings Inference in that server's: {"error":"...","error_type":"Overloaded"}.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/message.h"

namespace headroom {

enum class HttpErrorCode {
  bad_request,
  unauthorized,
  forbidden,
  not_found,
  method_not_allowed,
  request_timeout,
  payload_too_large,
  misdirected_request,
  unsupported_media_type,
  unprocessable,
  deadline_unreachable,
  overloaded,
  quota_exceeded,
  headers_too_large,
  internal,
  draining,
  out_of_memory,
};

int http_status(HttpErrorCode code);
std::string_view http_error_name(HttpErrorCode code);  // stable, part of the API
std::string_view http_reason(int status);              // "Not Found"

class HttpError : public std::exception {
 public:
  // `message` names the field and the fact; clients see it.
  HttpError(HttpErrorCode code, std::string message);

  HttpErrorCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

  std::optional<double> retry_after_seconds;
  std::string allow;  // methods that the path has, for method_not_allowed

 private:
  HttpErrorCode code_;
  std::string message_;
};

// The header field of every error with its name, which some shapes have no place for.
inline constexpr std::string_view error_code_field = "x-headroom-error";

enum class ErrorShape { plain, kserve, tei };

HttpResponse error_response(const HttpError& error, ErrorShape shape);

}  // namespace headroom
