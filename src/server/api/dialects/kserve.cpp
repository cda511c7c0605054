#include "server/api/dialects/kserve.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "base/join.h"
#include "base/version.h"
#include "server/api/dialects/kserve_tensors.h"
#include "server/api/embed.h"
#include "server/api/tag.h"
#include "server/api/texts_call.h"
#include "server/models/serving_plan.h"

namespace headroom::server {
namespace {

// What clients of other servers send with every request. It asks for nothing that would change an
// answer here: calls have no order, and `timeout` is for the client's own queue.
constexpr std::string_view ignored_parameters[] = {
    "headers", "priority", "sequence_end", "sequence_id", "sequence_start", "timeout",
};

// {"name": text, number or boolean}.
void check_parameters(const Json& object, const std::string& where) {
  if (!object.is_object()) {
    throw HttpError(HttpErrorCode::bad_request, fmt::format("{} is not an object", where));
  }
  for (const auto& [name, value] : object.items()) {
    if (!value.is_structured()) continue;
    throw HttpError(HttpErrorCode::bad_request,
                    fmt::format("{}.{} is no text, number or boolean", where, name));
  }
}

void remove_nulls(Json& object, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    if (object.contains(key) && object[key].is_null()) object.erase(key);
  }
}

// A parameter of one input or output, others of which are hints for other servers.
std::optional<Json> tensor_parameter(Json& tensor, const std::string& where,
                                     const std::string& name) {
  remove_nulls(tensor, {"parameters"});
  if (!tensor.contains("parameters")) return std::nullopt;
  check_parameters(tensor["parameters"], where + ".parameters");
  remove_nulls(tensor["parameters"], {name});
  if (!tensor["parameters"].contains(name)) return std::nullopt;
  return tensor["parameters"][name];
}

bool boolean_parameter(const Json& value, const std::string& where) {
  if (!value.is_boolean()) {
    throw HttpError(HttpErrorCode::bad_request, fmt::format("{} is not true or false", where));
  }
  return value.get<bool>();
}

// The bytes of one input at the front of `binary`, which are taken off it; nothing: its data is
// JSON.
std::optional<std::string_view> take_binary(Json& tensor, const std::string& where,
                                            std::string_view& binary) {
  const std::optional<Json> size = tensor_parameter(tensor, where, "binary_data_size");
  if (!size) return std::nullopt;
  if (!size->is_number_unsigned() || size->get<uint64_t>() > binary.size()) {
    throw HttpError(
        HttpErrorCode::bad_request,
        fmt::format("{}.parameters.binary_data_size is {}, but {} bytes are left behind the JSON "
                    "(Inference-Header-Content-Length says where it ends)",
                    where, shown(*size), binary.size()));
  }
  const std::string_view bytes = binary.substr(0, size->get<size_t>());
  binary.remove_prefix(bytes.size());
  return bytes;
}

Json& list_field(Json& body, const char* key) {
  const auto found = body.find(key);
  if (found == body.end() || !found->is_array()) {
    throw HttpError(HttpErrorCode::bad_request, fmt::format("{} is not a list", key));
  }
  return *found;
}

// The "name" of an element of `inputs` or `outputs`.
const std::string& element_name(const Json& element, const std::string& where) {
  if (!element.is_object() || !element.contains("name")) {
    throw HttpError(HttpErrorCode::bad_request, fmt::format("{}.name is missing", where));
  }
  return text_value(element["name"], where + ".name");
}

std::vector<Text> read_texts(Json& inputs, std::string_view binary, const CallLimits& limits) {
  std::optional<std::vector<std::string_view>> first;
  std::optional<std::vector<std::string_view>> second;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string where = fmt::format("inputs[{}]", i);
    const std::string& name = element_name(inputs[i], where);
    require_known_keys(inputs[i], where, {"name", "shape", "datatype", "parameters", "data"});
    const std::optional<std::string_view> bytes = take_binary(inputs[i], where, binary);
    if (name != "text" && name != "text_pair") {
      throw HttpError(
          HttpErrorCode::bad_request,
          fmt::format("{} is {}; known are text and text_pair", where, shown(Json(name))));
    }
    auto& wanted = name == "text" ? first : second;
    if (wanted) {
      throw HttpError(HttpErrorCode::bad_request, fmt::format("inputs has {} twice", name));
    }
    wanted = bytes_tensor(inputs[i], where, bytes, limits);
  }
  if (!binary.empty()) {
    throw HttpError(HttpErrorCode::bad_request,
                    fmt::format("{} bytes behind the JSON belong to no input", binary.size()));
  }
  if (!first) throw HttpError(HttpErrorCode::bad_request, "inputs has no tensor \"text\"");
  if (second && second->size() != first->size()) {
    throw HttpError(HttpErrorCode::bad_request, "text and text_pair differ in length");
  }
  std::vector<Text> texts(first->size());
  for (size_t i = 0; i < texts.size(); ++i) {
    texts[i].text = (*first)[i];
    if (second) texts[i].pair = (*second)[i];
  }
  return texts;
}

// Each output at most once, so that a short request cannot ask for a long response.
void read_outputs(Json& outputs, InferRequest& request) {
  std::vector<std::string>& names = request.outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string where = fmt::format("outputs[{}]", i);
    const std::string& name = element_name(outputs[i], where);
    if (const auto binary = tensor_parameter(outputs[i], where, "binary_data")) {
      request.binary_outputs[name] = boolean_parameter(*binary, where + ".parameters.binary_data");
    }
    const std::vector<TensorKind>& known = all_tensors();
    if (std::none_of(known.begin(), known.end(),
                     [&](const TensorKind& kind) { return kind.name == name; })) {
      throw HttpError(HttpErrorCode::bad_request,
                      fmt::format("{} is {}, which no model has", where, shown(Json(name))));
    }
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw HttpError(HttpErrorCode::bad_request, fmt::format("outputs has {} twice", name));
    }
    names.push_back(name);
  }
}

// How much of a body is JSON.
size_t json_bytes(std::string_view body, std::string_view json_length) {
  if (json_length.empty()) return body.size();
  size_t length = 0;
  const char* end = json_length.data() + json_length.size();
  const auto read = std::from_chars(json_length.data(), end, length);
  if (read.ec != std::errc() || read.ptr != end || length > body.size()) {
    throw HttpError(HttpErrorCode::bad_request,
                    fmt::format("Inference-Header-Content-Length is {}, the body has {} bytes",
                                shown(Json(std::string(json_length))), body.size()));
  }
  return length;
}

// Those that were asked for, or all of the model's. Throws HttpErrorCode::bad_request for one that
// it does not have.
std::vector<const TensorKind*> wanted_tensors(const ModelConfig& config,
                                              const std::vector<std::string>& names) {
  std::vector<const TensorKind*> kinds = tensors_of(config);
  if (names.empty()) return kinds;
  std::vector<const TensorKind*> wanted;
  for (const std::string& name : names) {
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const TensorKind* kind) { return kind->name == name; });
    if (found == kinds.end()) {
      throw HttpError(HttpErrorCode::bad_request,
                      fmt::format("outputs has {}, which this model does not have", name));
    }
    wanted.push_back(*found);
  }
  return wanted;
}

Json server_metadata() {
  Json body;
  body["name"] = "headroom";
  body["version"] = version();
  body["extensions"] = {"binary_tensor_data", "headroom_budget"};
  return body;
}

Json model_metadata(const Backend& backend, const ServedModel& model) {
  Json body;
  const std::string_view own = name_without_version(model.name);
  body["name"] = own;
  body["versions"] = Json::array();
  for (const ServedModel& other : backend.models()) {
    if (name_without_version(other.name) == own) {
      body["versions"].push_back(version_of(other.name));
    }
  }
  body["platform"] = "headroom_safetensors";
  body["inputs"] = Json::array();
  for (const char* name : {"text", "text_pair"}) {
    body["inputs"].push_back({{"name", name}, {"datatype", "BYTES"}, {"shape", {-1}}});
  }
  body["inputs"].back()["parameters"] = {{"optional", true}};
  body["outputs"] = Json::array();
  for (const TensorKind* kind : tensors_of(model.config)) {
    body["outputs"].push_back(output_metadata(*kind, model.config));
  }
  return body;
}

HttpResponse readiness(const Backend& backend, Json body) {
  const bool ready = backend.ready();
  body["ready"] = ready;
  HttpResponse response = json_response(body);
  if (!ready) response.status = http_status(HttpErrorCode::draining);
  return response;
}

// The model that the path names, whose version may be named too.
const ServedModel& requested_model(const Backend& backend, const ApiRequest& request) {
  const ServedModel& model = find_model(backend, request, request.model);
  if (request.version.empty()) return model;
  std::vector<std::string_view> versions;
  for (const ServedModel& other : backend.models()) {
    if (name_without_version(other.name) != name_without_version(model.name)) continue;
    if (version_of(other.name) == request.version) return other;  // which keys do not tell apart
    versions.push_back(version_of(other.name));
  }
  throw HttpError(
      HttpErrorCode::not_found,
      fmt::format("model \"{}\" has no version \"{}\"; its only version{} {}", request.model,
                  request.version, versions.size() == 1 ? " is" : "s are", join(versions, ", ")));
}

Abandon infer(Backend& backend, const CallLimits& limits, const ApiRequest& request, Reply reply) {
  const ServedModel& model = requested_model(backend, request);
  const auto parsed =
      std::make_shared<InferRequest>(parse_infer(request.body, limits, request.json_length));
  Call call = std::move(parsed->call);
  call.model = model.name;
  wanted_tensors(model.config, parsed->outputs);  // told before anything is run
  const auto texts = std::make_shared<const TextsCall>(model, parsed->options, limits, call);
  const auto format = [&model, parsed, texts](const CallAnswer& answer) {
    return infer_response(model, *parsed, texts->answers(answer), answer);
  };
  return submit_call(backend, std::move(call), request, format, std::move(reply));
}

Route open_route(const std::string& path,
                 std::function<HttpResponse(const ApiRequest& request)> answer) {
  Route route = immediate(path, std::move(answer));
  route.needs_key = false;
  route.quick = true;
  return route;
}

}  // namespace

bool InferRequest::wants_binary(const std::string& output) const {
  const auto own = binary_outputs.find(output);
  return own == binary_outputs.end() ? binary_output : own->second;
}

InferRequest parse_infer(std::string_view body, const CallLimits& limits,
                         std::string_view json_length) {
  const size_t length = json_bytes(body, json_length);
  InferRequest request{parse_body(body.substr(0, length), limits), {}, {}, {}};
  request.binary.assign(body.begin() + static_cast<std::ptrdiff_t>(length), body.end());
  Json& json = request.body;
  require_known_keys(json, "the body", {"id", "parameters", "inputs", "outputs"});
  remove_nulls(json, {"id", "parameters", "outputs"});
  if (json.contains("id")) request.id = text_value(json["id"], "id");
  if (json.contains("parameters")) {
    Json& parameters = json["parameters"];
    check_parameters(parameters, "parameters");
    for (const std::string_view ignored : ignored_parameters) {
      parameters.erase(std::string(ignored));
    }
    remove_nulls(parameters, {"budget", "latency_target_ms", "binary_data_output"});
    require_known_keys(parameters, "parameters",
                       {"budget", "latency_target_ms", "dimensions", "prompt", "aggregation",
                        "binary_data_output"});
    if (parameters.contains("binary_data_output")) {
      request.binary_output =
          boolean_parameter(parameters["binary_data_output"], "parameters.binary_data_output");
    }
    read_spending(parameters, "budget", "latency_target_ms", request.call);
    request.options = embed_options(parameters);
    request.options.aggregation = tag_options(parameters).aggregation;
  }
  request.call.texts = read_texts(list_field(json, "inputs"),
                                  {request.binary.data(), request.binary.size()}, limits);
  if (json.contains("outputs")) read_outputs(list_field(json, "outputs"), request);
  return request;
}

HttpResponse infer_response(const ServedModel& model, const InferRequest& request,
                            const std::vector<Answer>& answers, const CallAnswer& times) {
  Json body;
  body["model_name"] = name_without_version(model.name);
  body["model_version"] = version_of(model.name);
  if (request.id) body["id"] = *request.id;
  body["parameters"] = {{"queue_ms", times.queue_ms},
                        {"inference_ms", times.inference_ms},
                        {"predicted_ms", times.predicted_ms}};
  if (times.lowered != Lowered::nothing) {
    body["parameters"]["lowered"] = lowered_table.name(times.lowered);
  }
  body["outputs"] = Json::array();
  std::string binary;
  for (const TensorKind* kind : wanted_tensors(model.config, request.outputs)) {
    Json tensor = output_tensor(*kind, model.config, answers);
    if (request.wants_binary(std::string(kind->name))) binary += take_data(tensor);
    body["outputs"].push_back(std::move(tensor));
  }
  HttpResponse response = json_response(body);
  if (binary.empty()) return response;
  response.content_type = "application/octet-stream";
  response.fields.push_back(
      {"Inference-Header-Content-Length", std::to_string(response.body.size())});
  response.body += binary;
  return response;
}

std::vector<Route> kserve_routes(Backend& backend, const CallLimits& limits) {
  std::vector<Route> routes = {
      immediate("/v2", [](const ApiRequest&) { return json_response(server_metadata()); }),
      open_route("/v2/health/live",
                 [](const ApiRequest&) {
                   return json_response({{"live", true}});
                 }),
      open_route("/v2/health/ready",
                 // The document calls this one "live", too.
                 [&backend](const ApiRequest&) {
                   return readiness(backend, {{"live", backend.ready()}});
                 }),
  };
  for (const std::string model : {"/v2/models/{model}", "/v2/models/{model}/versions/{version}"}) {
    routes.push_back(immediate(model, [&backend](const ApiRequest& request) {
      return json_response(model_metadata(backend, requested_model(backend, request)));
    }));
    routes.push_back(immediate(model + "/ready", [&backend](const ApiRequest& request) {
      return readiness(backend, {{"name", requested_model(backend, request).name}});
    }));
    routes.back().quick = true;
    routes.push_back({"POST", model + "/infer", true,
                      [&backend, limits](const ApiRequest& request, Reply reply) {
                        return infer(backend, limits, request, std::move(reply));
                      }});
    routes.back().takes_binary = true;
  }
  return routes;
}

}  // namespace headroom::server
