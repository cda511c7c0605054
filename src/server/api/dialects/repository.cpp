#include "server/api/dialects/repository.h"

#include <utility>

#include "server/api/call.h"
#include "server/api/dialects/inputs.h"

namespace headroom::server {
namespace {

const char* state_name(const ModelState& model) {
  switch (model.state) {
    case ModelState::ready:
      return "READY";
    case ModelState::loading:
      return "LOADING";
    case ModelState::unavailable:
      break;
  }
  return "UNAVAILABLE";
}

// Clients may send no body at all.
Json read_body(const ApiRequest& request) {
  return request.body.empty() ? Json::object() : parse_body(request.body, {});
}

HttpResponse index_response(const ModelControl& control, const Json& body) {
  require_known_keys(body, "the body", {"ready"});
  const bool ready_only = flag_field(body, "ready").value_or(false);
  Json list = Json::array();
  for (const ModelState& model : control.index()) {
    if (ready_only && model.state != ModelState::ready) continue;
    list.push_back({{"name", model.name},
                    {"version", model.version},
                    {"state", state_name(model)},
                    {"reason", model.reason},
                    {"weight", model.weight}});
  }
  return json_response(list);
}

struct Change {
  std::optional<std::string> version;
  std::optional<double> weight;
};

Change read_change(const Json& body, const std::vector<std::string_view>& known) {
  require_known_keys(body, "the body", {"parameters"});
  if (!body.contains("parameters")) return {};
  const Json& parameters = body["parameters"];
  if (!parameters.is_object()) {
    throw HttpError(HttpErrorCode::bad_request, "parameters is not an object");
  }
  require_known_keys(parameters, "parameters", known);
  Change change{text_field(parameters, "version"), {}};
  if (!parameters.contains("weight")) return change;
  const Json& weight = parameters["weight"];
  if (!weight.is_number() || !(weight.get<double>() >= 0 && weight.get<double>() <= 1)) {
    throw HttpError(HttpErrorCode::bad_request, "weight is no number from 0 to 1");
  }
  change.weight = weight.get<double>();
  return change;
}

HttpErrorCode code_of(const Error& problem) {
  switch (problem.code()) {
    case ErrorCode::runtime:
      return HttpErrorCode::out_of_memory;
    case ErrorCode::interrupted:  // by the end of the server
      return HttpErrorCode::draining;
    default:
      return HttpErrorCode::unprocessable;
  }
}

// Who may load models may know why it went wrong.
ModelControl::Done answer_with(const ApiRequest& request, Reply reply) {
  return [shape = request.shape, reply = std::move(reply)](const std::optional<Error>& problem) {
    reply(problem ? error_response(HttpError(code_of(*problem), problem->message()), shape)
                  : json_response(Json::object()));
  };
}

void require_posted(bool posted) {
  if (posted) return;
  HttpError error(HttpErrorCode::overloaded, "too many models are waiting to be loaded");
  error.retry_after_seconds = 10;
  throw error;
}

using Act = void (*)(ModelControl& control, const ApiRequest& request, Reply reply);

Route repository_route(const std::string& action, ModelControl* control, Act act) {
  Route route{"POST", "/v2/repository/" + action, true,
              [control, act](const ApiRequest& request, Reply reply) {
                if (control == nullptr) {
                  throw HttpError(HttpErrorCode::forbidden,
                                  "this server's models stay; start it with --models and "
                                  "--model-control to load others");
                }
                act(*control, request, std::move(reply));
                return Abandon();
              }};
  route.needs_admin = true;
  return route;
}

}  // namespace

std::vector<Route> repository_routes(ModelControl* control) {
  return {
      repository_route("index", control,
                       [](ModelControl& models, const ApiRequest& request, Reply reply) {
                         reply(index_response(models, read_body(request)));
                       }),
      repository_route("models/{model}/load", control,
                       [](ModelControl& models, const ApiRequest& request, Reply reply) {
                         Change change = read_change(read_body(request), {"version", "weight"});
                         require_posted(
                             models.load({request.model, std::move(change.version), change.weight},
                                         answer_with(request, std::move(reply))));
                       }),
      repository_route(
          "models/{model}/unload", control,
          [](ModelControl& models, const ApiRequest& request, Reply reply) {
            const Change change = read_change(read_body(request), {"version", "unload_dependents"});
            require_posted(models.unload(request.model, change.version,
                                         answer_with(request, std::move(reply))));
          }),
  };
}

}  // namespace headroom::server
