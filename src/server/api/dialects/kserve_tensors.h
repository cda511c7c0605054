// Tensors of KServe's protocol: a name, a shape, a datatype and data in row-major order, as JSON or
// as bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/api/call.h"

namespace headroom::server {

// The texts, part of `tensor`, of a BYTES tensor of shape [n] or [n, 1], its data flat or nested;
// or those of `binary`, each behind its length in four bytes, the lowest first. Throws HttpError
// naming the field when shape, datatype and data do not agree.
std::vector<std::string_view> bytes_tensor(const Json& tensor, const std::string& name,
                                           std::optional<std::string_view> binary,
                                           const CallLimits& limits);

// An output of a call: what a model of one of these forms has, or, without a form, every model.
struct TensorKind {
  std::string_view name;
  std::string_view datatype;
  std::vector<OutputForm> forms;
  // Numbers of a text; nothing: one.
  int64_t (*width)(const ModelConfig& config) = nullptr;
  Json (*values)(const ModelConfig& config, const Answer& answer) = nullptr;
};

// Of any model, in the order of responses.
const std::vector<TensorKind>& all_tensors();
// Of this one.
std::vector<const TensorKind*> tensors_of(const ModelConfig& config);

// {"name", "datatype", "shape", "data"}.
Json output_tensor(const TensorKind& kind, const ModelConfig& config,
                   const std::vector<Answer>& answers);

// The data of an output tensor as bytes; `tensor` loses it and says how many there are.
std::string take_data(Json& tensor);

// {"name", "datatype", "shape"} with -1 for the number of texts.
Json output_metadata(const TensorKind& kind, const ModelConfig& config);

}  // namespace headroom::server
