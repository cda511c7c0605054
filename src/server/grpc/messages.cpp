#include "server/grpc/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/json.h"
#include "server/http/error.h"

namespace headroom {
namespace {

using inference::InferParameter;
using inference::InferTensorContents;
using Parameters = google::protobuf::Map<std::string, InferParameter>;

// Looking up a key of a Json walks over those before it. REST takes no more keys of one object.
constexpr size_t most_parameters = 64;
// Of a request. Models have two inputs and fewer outputs, whose shapes have two sizes.
constexpr int most_tensors = 16;
constexpr int most_dimensions = 8;
// The longest latency_target_ms; servers have a --max-deadline-ms of their own below it.
constexpr double longest_latency_ms = 600'000;
constexpr std::string_view json_length_field = "Inference-Header-Content-Length";

[[noreturn]] void bad_message(std::string fact) {
  throw HttpError(HttpErrorCode::bad_request, std::move(fact));
}

void require_at_most(int most, int count, const std::string& where) {
  if (count > most) bad_message(fmt::format("{} has more than {} entries", where, most));
}

std::string percent_encoded(const std::string& segment) {
  std::string encoded;
  for (const char c : segment) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

std::string model_path(const std::string& field, const std::string& model,
                       const std::string& version) {
  if (model.empty()) bad_message(field + " is empty");
  std::string path = "/v2/models/" + percent_encoded(model);
  if (!version.empty()) path += "/versions/" + percent_encoded(version);
  return path;
}

HttpRequest request_of(const GrpcCaller& caller, const char* method, std::string target) {
  return {head_of(caller, method, std::move(target)), "", std::chrono::steady_clock::now()};
}

// A number where the text is one, otherwise the text.
Json number_or_text(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  const bool whole = read.ec == std::errc() && read.ptr == end && std::isfinite(number);
  return whole ? Json(number) : Json(text);
}

Json value_of(const InferParameter& parameter, const std::string& where, bool may_be_text) {
  switch (parameter.parameter_choice_case()) {
    case InferParameter::kBoolParam:
      return parameter.bool_param();
    case InferParameter::kInt64Param:
      return parameter.int64_param();
    case InferParameter::kUint64Param:
      return parameter.uint64_param();
    case InferParameter::kStringParam:
      return may_be_text ? number_or_text(parameter.string_param())
                         : Json(parameter.string_param());
    case InferParameter::kDoubleParam:
      if (!std::isfinite(parameter.double_param())) bad_message(where + " is not a number");
      return parameter.double_param();
    case InferParameter::PARAMETER_CHOICE_NOT_SET:
      break;
  }
  return nullptr;  // as good as absent, as in REST
}

Json object_of(const Parameters& parameters, const std::string& where) {
  if (parameters.size() > most_parameters) {
    bad_message(fmt::format("{} has more than {} entries", where, most_parameters));
  }
  Json object = Json::object();
  for (const auto& [name, parameter] : parameters) {
    const bool is_number = name == "budget" || name == "latency_target_ms";
    object[name] = value_of(parameter, fmt::format("{}.{}", where, name), is_number);
  }
  return object;
}

void limit_latency(const std::optional<double>& left_ms, const std::optional<double>& slo_ms,
                   Json& parameters) {
  if (!left_ms) return;
  if (*left_ms <= 0) {
    throw HttpError(HttpErrorCode::deadline_unreachable, "the deadline has passed");
  }
  Json& latency = parameters["latency_target_ms"];
  const double left = std::min(*left_ms, longest_latency_ms);
  if (latency.is_null()) latency = std::min(left, slo_ms.value_or(left));
  if (latency.is_number() && latency.get<double>() > left) latency = left;
}

// Each behind its length in four bytes, as raw contents have them.
void append_contents(const InferTensorContents& contents, const std::string& where,
                     std::string& binary) {
  const bool others = contents.bool_contents_size() > 0 || contents.int_contents_size() > 0 ||
                      contents.int64_contents_size() > 0 || contents.uint_contents_size() > 0 ||
                      contents.uint64_contents_size() > 0 || contents.fp32_contents_size() > 0 ||
                      contents.fp64_contents_size() > 0;
  if (others) bad_message(where + ".contents: a BYTES tensor has bytes_contents alone");
  for (const std::string& text : contents.bytes_contents()) {
    const auto length = static_cast<uint32_t>(text.size());
    binary.append(reinterpret_cast<const char*>(&length), sizeof(length));
    binary += text;
  }
}

Json inputs_of(const inference::ModelInferRequest& message, std::string& binary) {
  require_at_most(most_tensors, message.inputs_size(), "inputs");
  require_at_most(most_tensors, message.raw_input_contents_size(), "raw_input_contents");
  const bool raw = message.raw_input_contents_size() > 0;
  if (raw && message.raw_input_contents_size() != message.inputs_size()) {
    bad_message(fmt::format("raw_input_contents has {} entries, inputs has {}",
                            message.raw_input_contents_size(), message.inputs_size()));
  }
  Json inputs = Json::array();
  for (int i = 0; i < message.inputs_size(); ++i) {
    const auto& input = message.inputs(i);
    const std::string where = fmt::format("inputs[{}]", i);
    require_at_most(most_dimensions, input.shape_size(), where + ".shape");
    const size_t before = binary.size();
    if (raw) {
      if (input.has_contents()) bad_message(where + " has contents beside raw_input_contents");
      binary += message.raw_input_contents(i);
    } else if (input.datatype() == "BYTES") {  // the REST path tells those that have another
      append_contents(input.contents(), where, binary);
    }
    Json tensor = {{"name", input.name()}, {"datatype", input.datatype()}};
    tensor["shape"] = std::vector<int64_t>(input.shape().begin(), input.shape().end());
    tensor["parameters"] = object_of(input.parameters(), where + ".parameters");
    tensor["parameters"]["binary_data_size"] = binary.size() - before;
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

Json outputs_of(const inference::ModelInferRequest& message) {
  require_at_most(most_tensors, message.outputs_size(), "outputs");
  Json outputs = Json::array();
  for (const auto& output : message.outputs()) {
    const std::string where = fmt::format("outputs[{}].parameters", outputs.size());
    Json tensor = {{"name", output.name()}, {"parameters", object_of(output.parameters(), where)}};
    tensor["parameters"].erase("binary_data");  // all come so
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

struct StatusEntry {
  int http;
  grpc::StatusCode grpc;
};

constexpr StatusEntry statuses[] = {
    {401, grpc::StatusCode::UNAUTHENTICATED},    {403, grpc::StatusCode::PERMISSION_DENIED},
    {404, grpc::StatusCode::NOT_FOUND},          {413, grpc::StatusCode::RESOURCE_EXHAUSTED},
    {429, grpc::StatusCode::RESOURCE_EXHAUSTED}, {499, grpc::StatusCode::CANCELLED},
    {503, grpc::StatusCode::UNAVAILABLE},
};

std::string_view field_of(const HttpResponse& response, std::string_view name) {
  for (const HttpField& field : response.fields) {
    if (field.name == name) return field.value;
  }
  return {};
}

grpc::StatusCode code_of(const HttpResponse& response) {
  if (field_of(response, error_code_field) ==
      http_error_name(HttpErrorCode::deadline_unreachable)) {
    return grpc::StatusCode::DEADLINE_EXCEEDED;
  }
  for (const StatusEntry& entry : statuses) {
    if (entry.http == response.status) return entry.grpc;
  }
  const bool theirs = response.status >= 400 && response.status < 500;
  return theirs ? grpc::StatusCode::INVALID_ARGUMENT : grpc::StatusCode::INTERNAL;
}

template <typename Number, typename Field>
void read_numbers(std::string_view bytes, Field& numbers) {
  for (size_t at = 0; at < bytes.size(); at += sizeof(Number)) {
    Number number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof(number));
    numbers.Add(number);
  }
}

void read_texts(std::string_view bytes, InferTensorContents& contents) {
  while (!bytes.empty()) {
    uint32_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof(length));
    const std::string_view text = bytes.substr(sizeof(length), length);
    contents.add_bytes_contents(text.data(), text.size());
    bytes.remove_prefix(sizeof(length) + length);
  }
}

struct ContentsForm {
  std::string_view datatype;
  void (*read)(std::string_view bytes, InferTensorContents& contents);
};

// Of the outputs that models have (TensorKind).
constexpr ContentsForm contents_forms[] = {
    {"BYTES", read_texts},
    {"FP32",
     [](std::string_view bytes, InferTensorContents& contents) {
       read_numbers<float>(bytes, *contents.mutable_fp32_contents());
     }},
    {"FP64",
     [](std::string_view bytes, InferTensorContents& contents) {
       read_numbers<double>(bytes, *contents.mutable_fp64_contents());
     }},
    {"INT64",
     [](std::string_view bytes, InferTensorContents& contents) {
       read_numbers<int64_t>(bytes, *contents.mutable_int64_contents());
     }},
};

template <typename Tensor>
void read_tensor(const Json& json, Tensor& tensor) {
  tensor.set_name(json["name"].get<std::string>());
  tensor.set_datatype(json["datatype"].get<std::string>());
  for (const Json& size : json["shape"]) tensor.add_shape(size.get<int64_t>());
}

}  // namespace

HttpHead head_of(const GrpcCaller& caller, const char* method, std::string target) {
  HttpHead head;
  head.method = method;
  head.target = std::move(target);
  head.authorization = caller.authorization;
  head.client = caller.client;
  head.priority = caller.priority;
  head.request_id = caller.request_id;
  head.traceparent = caller.traceparent;
  return head;
}

HttpRequest get_request(const GrpcCaller& caller, const std::string& path) {
  return request_of(caller, "GET", path);
}

HttpRequest get_request(const GrpcCaller& caller, const std::string& model,
                        const std::string& version, const std::string& path) {
  return request_of(caller, "GET", model_path("name", model, version) + path);
}

HttpRequest infer_request(const GrpcCaller& caller, const InferOutline& outline) {
  HttpRequest request =
      request_of(caller, "POST",
                 model_path("model_name", outline.model_name, outline.model_version) + "/infer");
  request.head.content_type = "application/octet-stream";
  request.head.json_length = "0";  // until there is JSON
  return request;
}

void add_body(const GrpcCaller& caller, const inference::ModelInferRequest& message,
              std::optional<double> slo_ms, HttpRequest& request) {
  Json body;
  if (!message.id().empty()) body["id"] = message.id();
  body["parameters"] = object_of(message.parameters(), "parameters");
  limit_latency(caller.left_ms, slo_ms, body["parameters"]);
  body["parameters"]["binary_data_output"] = true;
  std::string binary;
  body["inputs"] = inputs_of(message, binary);
  if (message.outputs_size() > 0) body["outputs"] = outputs_of(message);
  request.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  request.head.json_length = std::to_string(request.body.size());
  request.body += binary;
}

bool wants_raw_outputs(const inference::ModelInferRequest& message) {
  const auto asked = message.parameters().find("binary_data_output");
  if (asked != message.parameters().end() &&
      asked->second.parameter_choice_case() == InferParameter::kBoolParam) {
    return asked->second.bool_param();
  }
  return message.raw_input_contents_size() > 0;
}

grpc::Status status_of(const HttpResponse& response) {
  if (response.status == 200) return grpc::Status::OK;
  const Json body = Json::parse(response.content(), nullptr, /*allow_exceptions=*/false);
  if (body.is_object() && body.contains("ready"))
    return grpc::Status::OK;  // and says that it is not
  const bool told = body.is_object() && body.contains("error") && body["error"].is_string();
  return {code_of(response), told ? body["error"].get<std::string>() : ""};
}

void read_response(const HttpResponse& response, inference::ServerLiveResponse& message) {
  message.set_live(Json::parse(response.content())["live"].get<bool>());
}

void read_response(const HttpResponse& response, inference::ServerReadyResponse& message) {
  message.set_ready(Json::parse(response.content())["ready"].get<bool>());
}

void read_response(const HttpResponse& response, inference::ModelReadyResponse& message) {
  message.set_ready(Json::parse(response.content())["ready"].get<bool>());
}

void read_response(const HttpResponse& response, inference::ServerMetadataResponse& message) {
  const Json body = Json::parse(response.content());
  message.set_name(body["name"].get<std::string>());
  message.set_version(body["version"].get<std::string>());
  for (const Json& extension : body["extensions"]) {
    message.add_extensions(extension.get<std::string>());
  }
}

void read_response(const HttpResponse& response, inference::ModelMetadataResponse& message) {
  const Json body = Json::parse(response.content());
  message.set_name(body["name"].get<std::string>());
  for (const Json& version : body["versions"]) message.add_versions(version.get<std::string>());
  message.set_platform(body["platform"].get<std::string>());
  for (const Json& tensor : body["inputs"]) read_tensor(tensor, *message.add_inputs());
  for (const Json& tensor : body["outputs"]) read_tensor(tensor, *message.add_outputs());
}

void read_response(const HttpResponse& response, bool raw_outputs,
                   inference::ModelInferResponse& message) {
  const std::string_view length = field_of(response, json_length_field);
  size_t json_length = response.content().size();
  std::from_chars(length.data(), length.data() + length.size(), json_length);
  const Json body = Json::parse(response.content().substr(0, json_length));
  std::string_view binary = response.content().substr(json_length);
  message.set_model_name(body["model_name"].get<std::string>());
  message.set_model_version(body["model_version"].get<std::string>());
  message.set_id(body.value("id", ""));
  for (const auto& [name, value] : body["parameters"].items()) {
    auto& parameter = (*message.mutable_parameters())[name];
    if (value.is_string()) {
      parameter.set_string_param(value.get<std::string>());
    } else {
      parameter.set_double_param(value.get<double>());
    }
  }
  for (const Json& output : body["outputs"]) {
    auto& tensor = *message.add_outputs();
    read_tensor(output, tensor);
    const auto size = output["parameters"]["binary_data_size"].get<size_t>();
    const std::string_view bytes = binary.substr(0, size);
    binary.remove_prefix(size);
    if (raw_outputs) {
      message.add_raw_output_contents(bytes.data(), bytes.size());
      continue;
    }
    for (const ContentsForm& form : contents_forms) {
      if (form.datatype == tensor.datatype()) form.read(bytes, *tensor.mutable_contents());
    }
  }
}

}  // namespace headroom
