/// \file
/// What headroom throws.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace headroom {

/// What kind of failure an Error is. Values keep their meaning; new ones come last.
enum class ErrorCode {
  runtime,             ///< the machine said no: unwritable output, disk full, out of memory
  usage,               ///< the caller asked for something that does not exist or is out of range
  bad_data,            ///< an input file or text is not what its format promises
  bad_model,           ///< a checkpoint is missing, damaged or inconsistent
  target_unreachable,  ///< a latency or accuracy target cannot be met
  interrupted,         ///< the user pressed Ctrl-C; what could be saved was saved
};

/// The one exception type of the library: which operation failed, the fact that was found and,
/// where it helps, the likely cause.
class Error : public std::exception {
 public:
  /// `operation` is a short verb phrase ("read checkpoint"); `message` the fact and likely cause.
  Error(ErrorCode code, std::string operation, std::string message)
      : code_(code),
        operation_(std::move(operation)),
        message_(std::move(message)),
        text_(operation_ + ": " + message_) {}

  ErrorCode code() const noexcept { return code_; }                     ///< the kind of failure
  const std::string& operation() const noexcept { return operation_; }  ///< what failed
  const std::string& message() const noexcept { return message_; }      ///< fact and likely cause
  const char* what() const noexcept override { return text_.c_str(); }  ///< "operation: message"

 private:
  ErrorCode code_;
  std::string operation_;
  std::string message_;
  std::string text_;
};

}  // namespace headroom
