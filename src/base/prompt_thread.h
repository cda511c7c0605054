// Who goes first on a busy core: threads that work for microseconds and sleep in between (sockets,
// parsing), or those that compute.
#pragma once

namespace headroom {

// Lets the calling thread run when it wakes up rather than when whoever has its core has used up a
// slice, which is milliseconds on a busy machine. It asks for slices of 0.1 ms of its own: Linux
// 6.12 and later let a thread with a shorter slice go before one with a longer one, its share of
// the time stays the same. Elsewhere nothing changes.
void wake_promptly();

// The other side of it, for a thread that computes for milliseconds: it asks for slices of 5 ms, so
// that every thread which wakes up goes first.
void compute_patiently();

}  // namespace headroom
