// How much memory something may take. Asking for more is an error that names the limit, long before
// the system would end the process without a word.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headroom {

class MemoryAllowance {
 public:
  // `limit` in bytes is what --max-memory says; 0: nine tenths of what is available now. Messages
  // say that `operation` cannot go on because of `what`: "load data", "rows".
  MemoryAllowance(uint64_t limit, std::string operation, std::string what);

  // False when it does not fit.
  bool take(uint64_t bytes) {
    taken_ += bytes;
    return taken_ <= limit_;
  }
  // Throws ErrorCode::runtime; `context` says what asked for too much.
  [[noreturn]] void fail(std::string_view context) const;

 private:
  uint64_t limit_;
  bool asked_for_;  // the limit is the user's
  std::string operation_;
  std::string what_;
  uint64_t taken_ = 0;
};

// What a text takes beside itself: nothing where it is short enough to lie inside.
uint64_t heap_bytes(const std::string& text);

// "1.5 GiB"
std::string shown_bytes(uint64_t bytes);

}  // namespace headroom
