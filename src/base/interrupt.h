// Ctrl-C as a flag that long work polls between steps, so that it can save before it stops.
#pragma once

namespace headroom {

// From now on SIGINT, SIGTERM and (unless it is ignored) SIGHUP set the flag; a second SIGINT ends
// the process at once.
void watch_for_interrupts();
bool interrupt_requested();

// From now on SIGHUP asks to read files again instead.
void watch_for_reloads();
bool take_reload_request();  // true once for each time that it was asked

}  // namespace headroom
