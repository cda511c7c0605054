// Ctrl-C as a flag that long work polls between steps, so that it can save before it stops.
#pragma once

namespace headroom {

// From now on SIGINT, SIGTERM and (unless it is ignored) SIGHUP set the flag; a second SIGINT ends
// the process at once. For the main thread to call: its handlers run on a stack of their own.
void watch_for_interrupts();
bool interrupt_requested();

// Waits until a descriptor can be read, or is at its end; false when it is not and an interrupt was
// requested, be it before. read() alone sleeps through a signal that comes just before it.
bool wait_for_input(int descriptor);

// From now on SIGHUP asks to read files again instead.
void watch_for_reloads();
bool take_reload_request();  // true once for each time that it was asked

}  // namespace headroom
