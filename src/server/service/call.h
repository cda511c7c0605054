// What goes into the service and what comes out of it: texts with what they may spend, answers or a
// reason why not.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/enum_table.h"
#include "headroom/types.h"
#include "server/service/priority.h"

namespace headroom::server {

struct Call {
  std::string model;
  std::vector<Text> texts;  // must live until submit() returns
  // Exact: the answers have the bits that `predict --budget` gives. Otherwise the controller picks
  // the largest budget that meets the deadline.
  std::optional<double> budget;
  // From arrival to answer, at most ServiceSettings::max_deadline_ms; none: slo_ms there.
  std::optional<double> latency_ms;
  std::string client;    // who asks: clients share the workers equally
  double waited_ms = 0;  // since it arrived
  // Instead of a budget: each text climbs the model's ladder. With a deadline the controller may
  // lower its thresholds, never its budgets.
  bool automatic = false;
  std::vector<Tokens> inputs = {};  // instead of texts: what is tokenised already
  Priority priority = Priority::normal;
  // Without a budget: the most that the controller may choose. What has no deadline gets it.
  std::optional<double> most = {};
};

// What the controller took from a call for others' sake.
enum class Lowered { nothing, budget, thresholds };
inline constexpr auto lowered_table = enum_table<Lowered>(
    "lowered", {{Lowered::nothing, "nothing"},
                {Lowered::budget, "budget", "a smaller share of the model ran"},
                {Lowered::thresholds, "thresholds", "the ladder stopped earlier than promised"}});

struct CallAnswer {
  std::vector<Answer> texts;  // in the order of the call
  double queue_ms = 0;        // of the text that waited longest
  double inference_ms = 0;    // of the longest batch that one of its texts was in
  double predicted_ms = 0;    // queue and inference, as foreseen on arrival
  Lowered lowered = Lowered::nothing;
  std::vector<bool> cached = {};  // which texts cost nothing; empty: none
};

enum class Refusal {
  queue_full,
  overloaded,            // the deadline would be missed, because of what waits
  deadline_unreachable,  // even by an idle server at the least budget
  deadline_passed,       // while it waited, to be read or for a worker
  draining,              // the service is stopping
  abandoned,             // by its client
  failed,                // the engine threw
  out_of_memory,         // between its texts and its answer
};

std::string_view refusal_name(Refusal why);  // "queue_full", stable: for logs and metrics

struct CallRefused {
  Refusal why = Refusal::queue_full;
  double retry_after_seconds = 0;  // until the queue should have drained
  // A sentence for the client, except for `failed`: then the engine's own words, for the log only.
  std::string message;
  // What ran before, which nobody gets but whoever asked pays for.
  std::vector<Answer> ran = {};
};

using CallOutcome = std::variant<CallAnswer, CallRefused>;

// Called exactly once for each call, without any lock held: from a worker thread, when the call is
// abandoned, from drain(), or, for a refusal on arrival and for answers that were cached, before
// submit() returns. What it throws is lost, and with it the answer: it must not.
using CallDone = std::function<void(CallOutcome)>;

// Drops what is still queued of a call. CallDone gets Refusal::abandoned: now, or when a batch with
// one of its texts ends. Without effect on a call that is done or wholly under way. Cheap,
// thread-safe, any time, also after the service is gone.
using Abandon = std::function<void()>;

}  // namespace headroom::server
