// The one exception type of the library. Every failure names the operation that failed, the fact
// that was found and, where it helps, the likely cause. The library throws; only cli/ and server/
// talk to people and choose exit codes.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace headroom {

enum class ErrorCode {
  runtime,             // the machine said no: unwritable output, disk full, out of memory
  usage,               // the caller asked for something that does not exist or is out of range
  bad_data,            // an input file or text is not what its format promises
  bad_model,           // a checkpoint is missing, damaged or inconsistent
  target_unreachable,  // a latency or accuracy target cannot be met
  interrupted,         // the user pressed Ctrl-C; what could be saved was saved
};

// Stable lower-case name, used in JSON errors.
std::string_view error_name(ErrorCode code);

// The process exit code of the command-line contract (docs/cli.md).
int exit_code(ErrorCode code);

class Error : public std::exception {
 public:
  // `operation` is a short verb phrase ("read checkpoint"); `message` the fact and likely cause.
  Error(ErrorCode code, std::string operation, std::string message);

  ErrorCode code() const noexcept { return code_; }
  const std::string& operation() const noexcept { return operation_; }
  const std::string& message() const noexcept { return message_; }
  const char* what() const noexcept override { return text_.c_str(); }  // "operation: message"

 private:
  ErrorCode code_;
  std::string operation_;
  std::string message_;
  std::string text_;
};

}  // namespace headroom
