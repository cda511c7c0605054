#include "base/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>

namespace headroom {
namespace {

volatile std::sig_atomic_t requested = 0;
volatile std::sig_atomic_t reload = 0;
int wake = -1;  // readable from the first signal on

void on_signal(int signal) {
  if (requested != 0 && signal == SIGINT) _exit(130);
  requested = 1;
  const int before = errno;
  const uint64_t one = 1;
  if (wake >= 0) static_cast<void>(!::write(wake, &one, sizeof(one)));
  errno = before;
}

void on_reload(int /*signal*/) {
  reload = 1;
}

// What on_signal runs on, and where the kernel puts the registers of the thread that it stops. Not
// that thread's stack: oneDNN's sgemm uses the stack pointer as one more register, into the heap,
// and a frame of 3 KB below it was written over whatever lay there, weights among it. AMX makes a
// frame 11 KB. A process's signals go to its main thread, whose stack this is, as long as it can
// take them.
alignas(64) std::byte handler_stack[size_t{64} << 10];

}  // namespace

void watch_for_interrupts() {
  if (wake < 0) wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  stack_t stack = {};
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof(handler_stack);
  ::sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A terminal that closes, unless nohup has us ignore it.
  struct sigaction former = {};
  sigaction(SIGHUP, nullptr, &former);
  if (former.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

bool interrupt_requested() {
  return requested != 0;
}

bool wait_for_input(int descriptor) {
  pollfd waiting[2] = {{descriptor, POLLIN, 0}, {wake, POLLIN, 0}};
  while (::poll(waiting, 2, -1) < 0) {
    if (errno != EINTR) return true;  // reading will say what is wrong
  }
  return waiting[0].revents != 0 || waiting[1].revents == 0;
}

void watch_for_reloads() {
  struct sigaction action = {};
  action.sa_handler = on_reload;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGHUP, &action, nullptr);
}

bool take_reload_request() {
  if (reload == 0) return false;
  reload = 0;
  return true;
}

}  // namespace headroom
