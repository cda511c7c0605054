#include "server/service/service_backend.h"

#include <utility>

#include "checkpoint/score_file.h"

namespace headroom {
namespace {

// What the page draws of scores.json; null without that file.
Json measured_scores(const std::filesystem::path& checkpoint) {
  const std::optional<SavedScores> saved = read_scores(checkpoint);
  if (!saved) return nullptr;
  Json json;
  json["data"] = saved->data;
  json["examples"] = saved->curve.front().examples;
  json["precision"] = saved->precision;
  json["date"] = saved->date;
  json["curve"] = Json::array();
  for (const BudgetScore& score : saved->curve) {
    json["curve"].push_back({{"budget", score.budget},
                             {"accuracy", score.accuracy},
                             {"macs_fraction", score.model_macs_fraction}});
  }
  return json;
}

}  // namespace

ServiceBackend::ServiceBackend(Service& service) : service_(service) {
  for (const ServedModel& model : service.models()) {
    models_.push_back({model.name, model.engine->config(), model.table.precision, model.table,
                       service.settings().min_budget, measured_scores(model.directory)});
  }
}

Abandon ServiceBackend::submit(const std::string& model, const std::vector<CallText>& texts,
                               const Spend& spend, CallDone done) {
  CallTicket ticket = service_.submit(model, texts, spend, std::move(done));
  return [ticket]() mutable { ticket.abandon(); };
}

}  // namespace headroom
