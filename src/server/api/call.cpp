#include "server/api/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/join.h"
#include "server/models/serving_plan.h"
#include "text/unicode/utf8.h"

namespace headroom::server {
namespace {

constexpr double longest_latency_ms = 600'000;
// No object of the API has ten keys, no text takes more than two values, and what is told about
// tensors is short.
JsonLimits json_limits(const CallLimits& limits, size_t more_values) {
  return {.keys = 64, .values = 64 + static_cast<size_t>(limits.most_inputs()) + more_values};
}

// The value of a number that `fits`, which messages call `expected`; nothing when the key is not
// there.
std::optional<double> number_in(const Json& object, std::string_view key, bool (*fits)(double),
                                std::string_view expected) {
  const auto found = object.find(std::string(key));
  if (found == object.end()) return std::nullopt;
  if (!found->is_number()) {
    throw HttpError(HttpErrorCode::bad_request,
                    fmt::format("{} is {}, expected {}", key, shown(*found), expected));
  }
  const double value = found->get<double>();
  if (!fits(value)) {
    throw HttpError(HttpErrorCode::unprocessable,
                    fmt::format("{} is {}, expected {}", key, shown(*found), expected));
  }
  return value;
}

}  // namespace

void bad_field(const std::string& complaint) {
  throw HttpError(HttpErrorCode::bad_request, complaint);
}

Json parse_body(std::string_view body, const CallLimits& limits, size_t more_values) {
  if (const auto offset = find_invalid_utf8(body)) {
    throw HttpError(HttpErrorCode::unprocessable,
                    fmt::format("the body is not UTF-8: byte {} is wrong", *offset));
  }
  try {
    Json json = parse_json(body, ErrorCode::bad_data, "body", json_limits(limits, more_values));
    if (!json.is_object()) {
      throw HttpError(HttpErrorCode::bad_request, "the body is not a JSON object");
    }
    return json;
  } catch (const Error& error) {
    throw HttpError(HttpErrorCode::bad_request, "the body cannot be read: " + error.message());
  }
}

void require_known_keys(const Json& object, std::string_view where,
                        const std::vector<std::string_view>& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw HttpError(HttpErrorCode::bad_request,
                    fmt::format("{} has the unknown field {}; known are {}", where,
                                shown(Json(key)), join(known, ", ")));
  }
}

const std::string& text_value(const Json& value, std::string_view name) {
  if (!value.is_string()) {
    throw HttpError(HttpErrorCode::bad_request, fmt::format("{} is not a string", name));
  }
  return value.get_ref<const std::string&>();
}

const ServedModel& find_model(const Backend& backend, const ApiRequest& request,
                              const std::string& name) {
  const std::string first(name_without_version(backend.models().front().name));
  if (const ServedModel* model = backend.pick(name.empty() ? first : name)) {
    if (request.key) request.key->require_model(model->name);
    return *model;
  }
  throw HttpError(
      HttpErrorCode::not_found,
      fmt::format("model \"{}\" is not served here; GET /v1/models lists those that are", name));
}

void read_spending(const Json& object, std::string_view budget_key, std::string_view latency_key,
                   Call& call) {
  const auto budget = object.find(std::string(budget_key));
  call.automatic = budget != object.end() && *budget == "auto";
  if (!call.automatic) {
    call.budget = number_in(
        object, budget_key, [](double value) { return value >= 0 && value <= 1; },
        "a number from 0 to 1, or auto");
  }
  call.latency_ms = number_in(
      object, latency_key, [](double value) { return value > 0 && value <= longest_latency_ms; },
      "a number above 0, at most 600000");
}

void check_text_count(size_t texts, int64_t most) {
  if (texts == 0) {
    throw HttpError(HttpErrorCode::unprocessable, "inputs has no text");
  }
  if (texts > static_cast<size_t>(most)) {
    throw HttpError(
        HttpErrorCode::unprocessable,
        fmt::format("inputs has {} texts, this server takes at most {} a request", texts, most));
  }
}

void add_times(const CallAnswer& answer, double total_ms, Json& body) {
  if (answer.lowered != Lowered::nothing) body["lowered"] = lowered_table.name(answer.lowered);
  body["queue_ms"] = answer.queue_ms;
  body["inference_ms"] = answer.inference_ms;
  body["predicted_ms"] = answer.predicted_ms;
  body["total_ms"] = total_ms;
}

HttpResponse json_response(const Json& body) {
  HttpResponse response;
  // Names of models may come from the command line in any encoding.
  response.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  return response;
}

HttpResponse refusal_response(const CallRefused& refused, ErrorShape shape) {
  switch (refused.why) {
    case Refusal::deadline_unreachable:
      return error_response(HttpError(HttpErrorCode::deadline_unreachable, refused.message), shape);
    case Refusal::queue_full:
    case Refusal::overloaded:
    case Refusal::deadline_passed: {
      HttpError error(HttpErrorCode::overloaded, refused.message);
      error.retry_after_seconds = refused.retry_after_seconds;
      return error_response(error, shape);
    }
    case Refusal::draining:
      return error_response(
          HttpError(HttpErrorCode::draining, "this server is shutting down; ask another"), shape);
    case Refusal::abandoned:
      return client_left_response();
    case Refusal::out_of_memory:
      return error_response(
          HttpError(HttpErrorCode::out_of_memory, "this server has no memory for this request now"),
          shape);
    case Refusal::failed:
      break;
  }
  return error_response(
      HttpError(HttpErrorCode::internal, "the model could not be run; the server's log says why"),
      shape);
}

void charge(KeyHolder* key, const ServedModel& model, const CallOutcome& outcome) noexcept {
  if (key == nullptr) return;
  const auto ms_of = [&](const Answer& text) {
    // Of all rungs together a budget may be above 1.
    const double flat = std::min(1.0, text.budget);
    return flat > 0 ? text.budget / flat * model.table.estimate(flat, text.tokens).median_ms : 0;
  };
  try {
    double ms = 0;
    if (const auto* refused = std::get_if<CallRefused>(&outcome)) {
      for (const Answer& text : refused->ran) ms += ms_of(text);
    } else {
      const auto& answer = std::get<CallAnswer>(outcome);
      for (size_t i = 0; i < answer.texts.size(); ++i) {
        if (answer.cached.empty() || !answer.cached[i]) ms += ms_of(answer.texts[i]);
      }
    }
    key->spend(ms / 1000, steady_seconds());
  } catch (const std::bad_alloc&) {  // for the server
  }
}

void add_spending_fields(const CallAnswer& answer, HttpResponse& response) {
  double budget = answer.texts.empty() ? 1 : answer.texts.front().budget;
  double heads = 1;
  int64_t tokens = 0;
  for (const Answer& text : answer.texts) {
    budget = std::min(budget, text.budget);
    heads = std::min(heads, text.active_heads);
    tokens += text.tokens;
  }
  response.fields.push_back({"x-headroom-budget", fmt::format("{}", budget)});
  response.fields.push_back({"x-headroom-active-heads", fmt::format("{}", heads)});
  response.fields.push_back({"x-headroom-tokens", fmt::format("{}", tokens)});
  response.fields.push_back({"x-headroom-queue-ms", fmt::format("{:.3f}", answer.queue_ms)});
  response.fields.push_back(
      {"x-headroom-inference-ms", fmt::format("{:.3f}", answer.inference_ms)});
  response.fields.push_back(
      {"x-headroom-predicted-ms", fmt::format("{:.3f}", answer.predicted_ms)});
  if (answer.lowered != Lowered::nothing) {
    response.fields.push_back(
        {"x-headroom-lowered", std::string(lowered_table.name(answer.lowered))});
  }
  if (const auto cached = std::count(answer.cached.begin(), answer.cached.end(), true)) {
    response.fields.push_back({"x-headroom-cached", fmt::format("{}", cached)});
  }
  response.fields.push_back({"Server-Timing", fmt::format("queue;dur={:.3f}, inference;dur={:.3f}",
                                                          answer.queue_ms, answer.inference_ms)});
  response.queue_ms = answer.queue_ms;
  response.inference_ms = answer.inference_ms;
  response.predicted_ms = answer.predicted_ms;
  response.budget = budget;
}

Abandon submit_call(Backend& backend, Call call, const ApiRequest& request, FormatAnswer format,
                    Reply reply) {
  call.client = request.client;
  call.priority = request.priority;
  call.waited_ms = 1000 * seconds_since(request.arrived);
  CallDone done = replying(request, call.model, std::move(format), std::move(reply));
  if (request.key) {
    done = [&backend, key = request.key, name = call.model,
            told = std::move(done)](CallOutcome outcome) {
      for (const ServedModel& served : backend.models()) {
        if (served.name == name) charge(key.get(), served, outcome);
      }
      told(std::move(outcome));
    };
  }
  return backend.submit(call, std::move(done));
}

CallDone replying(const ApiRequest& request, std::string model, FormatAnswer format, Reply reply) {
  return [shape = request.shape, name = std::move(model), format = std::move(format),
          reply = std::move(reply)](const CallOutcome& outcome) {
    reply_with(reply, shape, [&] {
      HttpResponse response;
      if (const auto* refused = std::get_if<CallRefused>(&outcome)) {
        response = refusal_response(*refused, shape);
      } else {
        const auto& answer = std::get<CallAnswer>(outcome);
        response = format(answer);
        add_spending_fields(answer, response);
      }
      response.model = name;
      return response;
    });
  };
}

void reply_failed(const Reply& reply, ErrorShape shape, HttpErrorCode why) noexcept {
  try {
    reply(error_response(
        {why, why == HttpErrorCode::out_of_memory ? "this server has no memory for this request now"
                                                  : "the server could not answer"},
        shape));
    return;
  } catch (...) {  // no memory to say so: the status alone
  }
  try {
    HttpResponse bare;
    bare.status = http_status(why);
    reply(std::move(bare));
  } catch (...) {  // the connection's own time limit ends it
  }
}

}  // namespace headroom::server
