#include "tune/session_model.h"

#include <utility>

namespace headroom {

TunableModel tunable_model(Session& session) {
  const auto scores = [&session](std::span<const Tokens> rows, double budget) {
    std::vector<Scores> all;
    for (Answer& answer : session.run(rows, Budget{budget})) {
      all.push_back(std::move(answer.scores));
    }
    return all;
  };
  return {session.model().config(), session.table() ? &*session.table() : nullptr, scores};
}

}  // namespace headroom
