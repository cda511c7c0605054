#include "server/api/kserve_tensors.h"

#include <fmt/format.h>

namespace headroom::server {
namespace {

[[noreturn]] void bad_tensor(const std::string& name, std::string_view fact) {
  throw HttpError(HttpErrorCode::bad_request, fmt::format("{} {}", name, fact));
}

// The first of [n] or [n, 1]. Only compared with how many values there are, never multiplied.
uint64_t rows_of(const Json& tensor, const std::string& name) {
  const auto shape = tensor.find("shape");
  const bool one_column = shape != tensor.end() && shape->is_array() &&
                          (shape->size() == 1 || (shape->size() == 2 && (*shape)[1] == 1));
  if (!one_column || !(*shape)[0].is_number_unsigned()) {
    bad_tensor(name, "needs a shape of the form [n] or [n, 1]");
  }
  return (*shape)[0].get<uint64_t>();
}

std::string_view datatype_of(std::string_view output) {
  if (output == "label") return "BYTES";
  return output == "tokens" ? "INT64" : "FP64";
}

Json values_of(std::string_view output, const std::vector<std::string>& labels,
               const Answer& text) {
  if (output == "label") return labels[text.label];
  if (output == "budget") return text.budget;
  if (output == "active_heads") return text.active_heads;
  if (output == "tokens") return text.tokens;
  return text.scores;
}

}  // namespace

std::vector<std::string_view> bytes_tensor(const Json& tensor, const std::string& name,
                                           const CallLimits& limits) {
  if (tensor.value("datatype", Json()) != "BYTES") bad_tensor(name, "must have datatype BYTES");
  const uint64_t rows = rows_of(tensor, name);
  const auto data = tensor.find("data");
  if (data == tensor.end() || !data->is_array()) bad_tensor(name, "needs data, a list of strings");
  if (data->size() != rows) {
    bad_tensor(name, fmt::format("has {} values, its shape says {}", data->size(), rows));
  }
  check_text_count(data->size(), limits);
  std::vector<std::string_view> texts;
  for (const Json& value : *data) {
    const bool nested = value.is_array() && value.size() == 1;
    texts.push_back(text_value(nested ? value[0] : value, name + ".data"));
  }
  return texts;
}

Json output_metadata(std::string_view name, int64_t labels) {
  Json tensor;
  tensor["name"] = name;
  tensor["datatype"] = datatype_of(name);
  tensor["shape"] = Json::array({-1});
  if (name == "scores") tensor["shape"].push_back(labels);
  return tensor;
}

Json output_tensor(std::string_view name, const std::vector<std::string>& labels,
                   const CallAnswer& answer) {
  Json tensor = output_metadata(name, static_cast<int64_t>(labels.size()));
  tensor["shape"][0] = answer.texts.size();
  tensor["data"] = Json::array();
  for (const Answer& text : answer.texts) {
    Json values = values_of(name, labels, text);
    if (!values.is_array()) {
      tensor["data"].push_back(std::move(values));
    } else {
      for (Json& value : values) tensor["data"].push_back(std::move(value));
    }
  }
  return tensor;
}

}  // namespace headroom::server
