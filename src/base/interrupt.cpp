#include "base/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace headroom {
namespace {

volatile std::sig_atomic_t requested = 0;
volatile std::sig_atomic_t reload = 0;

void on_signal(int signal) {
  if (requested != 0 && signal == SIGINT) _exit(130);
  requested = 1;
}

void on_reload(int /*signal*/) {
  reload = 1;
}

}  // namespace

void watch_for_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
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

void watch_for_reloads() {
  struct sigaction action = {};
  action.sa_handler = on_reload;
  sigaction(SIGHUP, &action, nullptr);
}

bool take_reload_request() {
  if (reload == 0) return false;
  reload = 0;
  return true;
}

}  // namespace headroom
