#include "base/error.h"

#include <utility>

namespace headroom {

std::string_view error_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::runtime:
      return "runtime";
    case ErrorCode::usage:
      return "usage";
    case ErrorCode::bad_data:
      return "bad_data";
    case ErrorCode::bad_model:
      return "bad_model";
    case ErrorCode::target_unreachable:
      return "target_unreachable";
    case ErrorCode::interrupted:
      return "interrupted";
  }
  return "runtime";
}

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::runtime:
      return 1;
    case ErrorCode::usage:
      return 2;
    case ErrorCode::bad_data:
      return 3;
    case ErrorCode::bad_model:
      return 4;
    case ErrorCode::target_unreachable:
      return 5;
    case ErrorCode::interrupted:
      return 130;
  }
  return 1;
}

Error::Error(ErrorCode code, std::string operation, std::string message)
    : code_(code),
      operation_(std::move(operation)),
      message_(std::move(message)),
      text_(operation_ + ": " + message_) {}

}  // namespace headroom
