#include "load_soak.h"

#include <algorithm>
#include <set>

#include "base/measure/interleaved.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/precision_file.h"
#include "engine/answers/answer_json.h"
#include "engine/session.h"

namespace headroom {
namespace {

// In the precision that the server runs it in.
std::shared_ptr<const EngineModel> served_model(const std::filesystem::path& checkpoint) {
  const ModelConfig config = read_config(checkpoint);
  return EngineModel::load(checkpoint, {chosen_precision(checkpoint, config), {}});
}

// What of an answer does not depend on who else asked at that time.
Json essence(const Json& answer) {
  return {{"label", answer.at("label")},
          {"scores", answer.at("scores")},
          {"tokens", answer.at("tokens")}};
}

Json answered_offline(Session& session, const std::string& text, double budget) {
  const Text input{text};
  const Answer answer = session.run(std::span(&input, 1), Budget{budget}).front();
  Json json;
  add_answer(session.model().config(), answer, /*raw_scores=*/false, json);
  json["tokens"] = answer.tokens;
  return essence(json);
}

}  // namespace

void SoakTotals::add(const LoadSummary& slice) {
  slices_.push_back(slice);
}

Json SoakTotals::to_json() const {
  LoadSummary total;
  std::vector<double> p50_ms;
  std::vector<double> p99_ms;
  double in_time = 0;
  double budgets = 0;
  for (const LoadSummary& slice : slices_) {
    total.sent += slice.sent;
    total.answered += slice.answered;
    total.refused += slice.refused;
    total.unreachable += slice.unreachable;
    total.faults += slice.faults;
    total.lost += slice.lost;
    total.max_ms = std::max(total.max_ms, slice.max_ms);
    in_time += slice.slo_attainment * static_cast<double>(slice.sent);
    budgets += slice.mean_budget * static_cast<double>(slice.answered);
    if (slice.answered == 0) continue;
    p50_ms.push_back(slice.p50_ms);
    p99_ms.push_back(slice.p99_ms);
  }
  Json json = {{"sent", total.sent},       {"answered", total.answered},
               {"refused", total.refused}, {"unreachable", total.unreachable},
               {"faults", total.faults},   {"lost", total.lost}};
  if (total.answered == 0) return json;
  json["p50_ms"] = quantile(p50_ms, 0.5);
  json["p99_ms"] = quantile(p99_ms, 0.5);
  json["worst_p99_ms"] = *std::max_element(p99_ms.begin(), p99_ms.end());
  json["max_ms"] = total.max_ms;
  json["slo_attainment"] = in_time / static_cast<double>(total.sent);
  json["mean_budget"] = budgets / static_cast<double>(total.answered);
  return json;
}

void AnswerSample::offer(size_t row, std::string_view response) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_ || !response.starts_with("HTTP/1.1 200 ")) return;
  next_ = now + std::chrono::milliseconds(100);
  kept_.push_back({row, std::string(response.substr(response.find("\r\n\r\n") + 4))});
}

Json AnswerSample::compare(const std::vector<TextRow>& rows,
                           const std::map<std::string, std::filesystem::path>& models) const {
  std::map<std::string, Session> sessions;
  for (const auto& [name, checkpoint] : models)
    sessions.try_emplace(name, served_model(checkpoint));
  std::map<std::string, int64_t> by_model;
  std::set<double> budgets;
  int64_t wrong = 0;
  Json example;
  for (const Kept& kept : kept_) {
    const Json body = Json::parse(kept.body);
    const Json& answer = body.at("answers").at(0);
    const auto budget = answer.at("budget").get<double>();
    const auto session = sessions.find(body.at("model").get<std::string>());
    ++by_model[body.at("model").get<std::string>()];
    budgets.insert(budget);
    const Json expected = session == sessions.end()
                              ? Json()
                              : answered_offline(session->second, rows[kept.row].text, budget);
    if (expected == essence(answer)) continue;
    ++wrong;
    if (example.is_null()) example = {{"answer", body}, {"expected", expected}};
  }
  Json json = {{"compared", kept_.size()}, {"budgets", budgets.size()}, {"wrong", wrong}};
  json["by_model"] = by_model;
  if (wrong > 0) json["example"] = example;
  return json;
}

}  // namespace headroom
