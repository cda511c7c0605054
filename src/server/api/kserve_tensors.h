// Tensors of KServe's protocol: a name, a shape, a datatype and data in row-major order.
#pragma once

#include <string>
#include <vector>

#include "server/api/call.h"

namespace headroom::server {

// The texts, part of `tensor`, of a BYTES tensor of shape [n] or [n, 1], its data flat or nested.
// Throws HttpError naming the field when shape, datatype and data do not agree.
std::vector<std::string_view> bytes_tensor(const Json& tensor, const std::string& name,
                                           const CallLimits& limits);

// The five outputs of a call, in this order.
inline constexpr std::string_view output_names[] = {"label", "scores", "budget", "active_heads",
                                                    "tokens"};

// {"name", "datatype", "shape", "data"} of one of them.
Json output_tensor(std::string_view name, const std::vector<std::string>& labels,
                   const CallAnswer& answer);

// {"name", "datatype", "shape"} with -1 for the number of texts.
Json output_metadata(std::string_view name, int64_t labels);

}  // namespace headroom::server
