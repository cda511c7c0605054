#include "server/service/call_terms.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "base/error.h"
#include "budget/ladder/why_no_auto.h"

namespace headroom::server {
namespace {

[[noreturn]] void refuse(const ServedModel& model, const char* budget, std::string_view why) {
  throw Error(ErrorCode::usage, "serve",
              fmt::format("{} has no budget {}: {}", model.name, budget,
                          model.policy_note.empty() ? why : std::string_view(model.policy_note)));
}

void require_rung_zero(const ServedModel& model) {
  if (model.rung_zero) return;
  refuse(model, "0", why_no_rung_zero(model.config.task));
}

void require_policy(const ServedModel& model) {
  if (model.policy) return;
  refuse(model, "auto", why_no_auto(model.config.task));
}

}  // namespace

CallTerms terms_of(const Call& call, const ServedModel& model, const ServiceSettings& settings,
                   double arrived_ms) {
  require(!call.texts.empty() || !call.inputs.empty(), "the call has no text");
  if (call.latency_ms) check_latency("latency_ms", *call.latency_ms);
  if (call.budget == 0) {
    require_rung_zero(model);
  } else if (call.budget) {
    model.config.selection(*call.budget);
  }
  if (call.most) model.config.selection(*call.most);
  CallTerms terms;
  terms.budget = call.budget;
  terms.most = call.most;
  if (call.automatic) require_policy(model);
  // The server's default is for models that have it: one of another task beside them runs flat.
  terms.automatic = call.automatic || (settings.automatic && !call.budget && model.policy);
  terms.arrived_ms = arrived_ms;
  const std::optional<double> latency_ms = call.latency_ms ? call.latency_ms : settings.slo_ms;
  if (latency_ms) terms.deadline_ms = arrived_ms + *latency_ms;
  return terms;
}

WaitingText waiting_text(const Call& call, const CallTerms& terms, const ServedModel& model,
                         const CostLevels& levels, size_t index, int64_t tokens) {
  WaitingText text;
  text.index = index;
  text.client = call.client;
  text.priority = call.priority;
  text.tokens = tokens;
  text.arrived_ms = terms.arrived_ms;
  text.deadline_ms = terms.deadline_ms;
  std::optional<double> exact = terms.budget;
  if (!exact && terms.most) {
    const std::optional<size_t> most = levels.level_within(*terms.most);
    if (most && !std::isinf(terms.deadline_ms)) {
      text.most_level = *most;
    } else {
      exact = terms.most;
    }
  }
  if (exact) {
    text.budget = exact;
    text.exact_time = FlatTimes{model.table, model.bag_token_ms}.at(*exact, tokens);
  } else if (std::isinf(terms.deadline_ms)) {
    const size_t top = levels.top();
    text.budget = levels.budget(top);
    text.exact_time =
        terms.automatic ? levels.ladder_estimate(top, tokens) : levels.estimate(top, tokens);
  }
  text.automatic = terms.automatic;
  return text;
}

}  // namespace headroom::server
