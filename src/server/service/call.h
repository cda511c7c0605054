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

namespace headroom {

// How much one call may spend. A budget is exact: the answer has the bits that `predict --budget`
// gives. Otherwise the controller picks the largest budget that meets the deadline.
struct Spend {
  std::optional<double> budget;
  std::optional<double> latency_ms;  // from arrival to answer; none: ServiceSettings::slo_ms
};

struct CallText {
  std::string text;
  std::optional<std::string> pair;
};

struct TextAnswer {
  int64_t label = 0;           // of the highest score
  std::vector<double> scores;  // one probability per label
  double budget = 1;
  double active_heads = 1;
  double active_ffn = 1;
  int64_t tokens = 0;
};

struct CallAnswer {
  std::vector<TextAnswer> texts;  // in the order of the call
  double queue_ms = 0;            // of the text that waited longest
  double inference_ms = 0;        // of the longest batch that one of its texts was in
  double predicted_ms = 0;        // queue and inference, as foreseen on arrival
};

enum class Refusal {
  queue_full,
  deadline_unreachable,  // even at the least budget
  draining,              // the service is stopping
  abandoned,             // by its own ticket
  failed,                // the engine threw
};

std::string_view refusal_name(Refusal why);  // "queue_full", stable: for logs and metrics

struct CallRefused {
  Refusal why = Refusal::queue_full;
  double retry_after_seconds = 0;  // until the queue should have drained
  // A sentence for the client, except for `failed`: then the engine's own words, for the log only.
  std::string message;
};

using CallOutcome = std::variant<CallAnswer, CallRefused>;

// Called exactly once for each call, without any lock held: from a worker thread, from abandon(),
// from drain(), or, for a refusal on arrival, before submit() returns. Must not throw.
using CallDone = std::function<void(CallOutcome)>;

}  // namespace headroom
