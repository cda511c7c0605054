#include "server/api/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "server/api/texts.h"
#include "server/models/serving_plan.h"

namespace headroom::server {
namespace {

using Models = std::vector<const ServedModel*>;

// Those that were named or, when none was, all classifiers that the request's key may ask.
Models asked_models(const Backend& backend, const ApiRequest& request, const Json& body) {
  Models models;
  if (!body.contains("models")) {
    std::set<std::string_view> names;  // each once, however many versions share its traffic
    for (const ServedModel& model : backend.models()) {
      const bool allowed = !request.key || request.key->may_use(model.name);
      if (!allowed || path_of(model.config.task) != "/v1/classify") continue;
      const std::string_view name = name_without_version(model.name);
      if (!names.insert(name).second) continue;
      models.push_back(&find_model(backend, request, std::string(name)));
    }
    if (!models.empty()) return models;
    throw HttpError(HttpErrorCode::unprocessable, "no classifier is served here");
  }
  const Json& names = body["models"];
  if (!names.is_array() || names.empty()) {
    throw HttpError(HttpErrorCode::bad_request, "models is not a list of names");
  }
  for (const Json& name : names) {
    const ServedModel& model = find_model(backend, request, text_value(name, "models"));
    require_path(model, "/v1/classify");
    if (std::find(models.begin(), models.end(), &model) != models.end()) {
      throw HttpError(HttpErrorCode::bad_request,
                      fmt::format("models has \"{}\" twice", model.name));
    }
    models.push_back(&model);
  }
  return models;
}

// One call for each model, and the one reply to all of them.
class Bundle {
 public:
  Bundle(Backend& backend, Models models, const ApiRequest& request, Reply reply)
      : backend_(backend),
        models_(std::move(models)),
        key_(request.key),
        shape_(request.shape),
        arrived_(request.arrived),
        reply_(std::move(reply)),
        answers_(models_.size()),
        open_(models_.size()) {}

  // Throws what the backend throws for the first model that cannot answer; nothing is replied then.
  static void submit(const std::shared_ptr<Bundle>& bundle, const Call& call) {
    for (size_t i = 0; i < bundle->models_.size() && !bundle->told(); ++i) {
      Call one = call;
      one.model = bundle->models_[i]->name;
      try {
        bundle->keep(bundle->backend_.submit(
            one, [bundle, i](CallOutcome outcome) { bundle->done(i, std::move(outcome)); }));
      } catch (...) {
        if (!bundle->tell()) return;  // one that was refused meanwhile has been told
        bundle->abandon();
        throw;
      }
    }
  }

  // Drops what still waits of every call.
  void abandon() {
    std::vector<Abandon> calls;
    {
      const std::lock_guard lock(mutex_);
      calls.swap(calls_);
    }
    for (const Abandon& call : calls) call();
  }

 private:
  bool told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  // Whether it falls to the caller to reply.
  bool tell() {
    const std::lock_guard lock(mutex_);
    return !std::exchange(told_, true);
  }

  void keep(Abandon call) {
    {
      const std::lock_guard lock(mutex_);
      if (!told_) return calls_.push_back(std::move(call));
    }
    call();
  }

  void done(size_t index, CallOutcome outcome) {
    charge(key_.get(), *models_[index], outcome);  // whatever becomes of the others
    if (auto* refused = std::get_if<CallRefused>(&outcome)) {
      if (!tell()) return;
      reply_with(reply_, shape_, [&] {
        refused->message = fmt::format("model \"{}\": {}", models_[index]->name, refused->message);
        return refusal_response(*refused, shape_);
      });
      return abandon();
    }
    {
      const std::lock_guard lock(mutex_);
      answers_[index] = std::move(std::get<CallAnswer>(outcome));
      if (--open_ > 0 || std::exchange(told_, true)) return;
    }
    reply_with(reply_, shape_, [this] { return response(); });
  }

  HttpResponse response() const {
    Json body;
    body["models"] = Json::array();
    const double total_ms = 1000 * seconds_since(arrived_);
    CallAnswer all;
    for (size_t i = 0; i < models_.size(); ++i) {
      const CallAnswer& answer = answers_[i];
      body["models"].push_back(texts_body(*models_[i], answer.texts, answer, total_ms));
      all.texts.insert(all.texts.end(), answer.texts.begin(), answer.texts.end());
      all.cached.insert(all.cached.end(), answer.cached.begin(), answer.cached.end());
      if (all.lowered == Lowered::nothing) all.lowered = answer.lowered;
      all.queue_ms = std::max(all.queue_ms, answer.queue_ms);
      all.inference_ms = std::max(all.inference_ms, answer.inference_ms);
      all.predicted_ms = std::max(all.predicted_ms, answer.predicted_ms);
    }
    body["total_ms"] = total_ms;
    HttpResponse response = json_response(body);
    add_spending_fields(all, response);
    return response;
  }

  Backend& backend_;
  const Models models_;
  const std::shared_ptr<KeyHolder> key_;
  const ErrorShape shape_;
  const std::chrono::steady_clock::time_point arrived_;
  const Reply reply_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<CallAnswer> answers_;
  std::vector<Abandon> calls_;
  size_t open_;
  bool told_ = false;
};

Abandon guard(Backend& backend, const CallLimits& limits, const ApiRequest& request, Reply reply) {
  TextsRequest parsed = parse_texts(request.body, limits, {"models"});
  if (parsed.body.contains("model")) {
    throw HttpError(HttpErrorCode::bad_request, "a guard asks several: give models, not model");
  }
  Models models = asked_models(backend, request, parsed.body);
  const size_t inputs = models.size() * parsed.call.texts.size();
  if (inputs > static_cast<size_t>(limits.most_inputs())) {
    throw HttpError(
        HttpErrorCode::unprocessable,
        fmt::format("{} texts for {} models are {} answers, this server gives at most "
                    "{} a request",
                    parsed.call.texts.size(), models.size(), inputs, limits.most_inputs()));
  }
  parsed.call.client = request.client;
  parsed.call.priority = request.priority;
  parsed.call.waited_ms = 1000 * seconds_since(request.arrived);
  const auto bundle =
      std::make_shared<Bundle>(backend, std::move(models), request, std::move(reply));
  Abandon abandon = [bundle] { bundle->abandon(); };
  Bundle::submit(bundle, parsed.call);
  return abandon;
}

}  // namespace

Route guard_route(Backend& backend, const CallLimits& limits) {
  return {"POST", "/v1/guard", true, [&backend, limits](const ApiRequest& request, Reply reply) {
            return guard(backend, limits, request, std::move(reply));
          }};
}

}  // namespace headroom::server
