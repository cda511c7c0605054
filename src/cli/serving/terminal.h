// Whether a server is what runs in a terminal.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace headroom {

// Services and containers have no terminal, the end of which SIGHUP tells.
inline bool in_foreground_of_terminal() {
  const int terminal = ::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return false;
  const bool ours = ::tcgetpgrp(terminal) == ::getpgrp();
  ::close(terminal);
  return ours;
}

}  // namespace headroom
