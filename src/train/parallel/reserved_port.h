// A TCP port of this machine that is ours before anyone listens on it: a number that was merely
// free a moment ago may be taken by then.
#pragma once

namespace headroom {

// Bound to a port that the system chose, never listening. While it lives nobody is given that port;
// a server that is told the number, in this process or another, can listen there if it allows
// addresses to be reused (SO_REUSEADDR, as servers commonly do).
class ReservedPort {
 public:
  ReservedPort();  // throws ErrorCode::runtime when the system gives none
  ~ReservedPort();
  ReservedPort(const ReservedPort&) = delete;
  ReservedPort& operator=(const ReservedPort&) = delete;

  int number() const { return number_; }

 private:
  int socket_;
  int number_ = 0;
};

}  // namespace headroom
