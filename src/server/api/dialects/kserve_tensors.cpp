#include "server/api/dialects/kserve_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/answers/answer_json.h"

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

int64_t label_count(const ModelConfig& config) {
  return static_cast<int64_t>(config.labels.size());
}

int64_t vector_width(const ModelConfig& config) {
  return config.shape.vector_width();
}

// Lists of different lengths are no tensor: they come as JSON.
Json key_as_text(const ModelConfig& config, const Answer& answer, const char* key) {
  Json json;
  add_answer(config, answer, /*raw_scores=*/false, json);
  return json[key].dump();
}

std::vector<std::string_view> binary_texts(std::string_view binary, const std::string& name) {
  std::vector<std::string_view> texts;
  while (!binary.empty()) {
    uint32_t length = 0;
    if (binary.size() < sizeof(length)) bad_tensor(name, "ends in the middle of a text's length");
    std::memcpy(&length, binary.data(), sizeof(length));
    binary.remove_prefix(sizeof(length));
    if (length > binary.size()) bad_tensor(name, "ends in the middle of a text");
    texts.push_back(binary.substr(0, length));
    binary.remove_prefix(length);
  }
  return texts;
}

template <typename Number>
void append_number(const Json& value, std::string& bytes) {
  const auto number = value.get<Number>();
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void append_text(const Json& value, std::string& bytes) {
  const auto& text = value.get_ref<const std::string&>();
  const auto length = static_cast<uint32_t>(text.size());
  bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += text;
}

struct BinaryForm {
  std::string_view datatype;
  void (*append)(const Json& value, std::string& bytes);
};

// Of x86 and ARM, which keep the lowest byte first, as the protocol does.
constexpr BinaryForm binary_forms[] = {{"BYTES", append_text},
                                       {"FP32", append_number<float>},
                                       {"FP64", append_number<double>},
                                       {"INT64", append_number<int64_t>}};

}  // namespace

std::vector<std::string_view> bytes_tensor(const Json& tensor, const std::string& name,
                                           std::optional<std::string_view> binary,
                                           const CallLimits& limits) {
  if (tensor.value("datatype", Json()) != "BYTES") bad_tensor(name, "must have datatype BYTES");
  const uint64_t rows = rows_of(tensor, name);
  const auto data = tensor.find("data");
  if (binary) {
    if (data != tensor.end()) bad_tensor(name, "has data both as JSON and as bytes");
    std::vector<std::string_view> texts = binary_texts(*binary, name);
    if (texts.size() != rows) {
      bad_tensor(name, fmt::format("has {} values, its shape says {}", texts.size(), rows));
    }
    check_text_count(texts.size(), limits.texts);
    return texts;
  }
  if (data == tensor.end() || !data->is_array()) bad_tensor(name, "needs data, a list of strings");
  if (data->size() != rows) {
    bad_tensor(name, fmt::format("has {} values, its shape says {}", data->size(), rows));
  }
  check_text_count(data->size(), limits.texts);
  std::vector<std::string_view> texts;
  for (const Json& value : *data) {
    const bool nested = value.is_array() && value.size() == 1;
    texts.push_back(text_value(nested ? value[0] : value, name + ".data"));
  }
  return texts;
}

const std::vector<TensorKind>& all_tensors() {
  using Config = const ModelConfig&;
  using One = const Answer&;
  static const std::vector<TensorKind> kinds = {
      {"label",
       "BYTES",
       {OutputForm::label},
       nullptr,
       [](Config config, One answer) { return Json(config.labels[answer.label]); }},
      {"labels",
       "BYTES",
       {OutputForm::labels},
       nullptr,
       [](Config config, One answer) { return Json(key_as_text(config, answer, "labels")); }},
      {"entities",
       "BYTES",
       {OutputForm::tags},
       nullptr,
       [](Config config, One answer) { return Json(key_as_text(config, answer, "entities")); }},
      {"embedding",
       "FP32",
       {OutputForm::vector},
       vector_width,
       [](Config, One answer) { return Json(answer.embedding); }},
      {"score",
       "FP64",
       {OutputForm::score},
       nullptr,
       [](Config, One answer) { return Json(answer.score); }},
      {"scores",
       "FP64",
       {OutputForm::label, OutputForm::labels},
       label_count,
       [](Config, One answer) { return Json(answer.scores); }},
      {"budget", "FP64", {}, nullptr, [](Config, One answer) { return Json(answer.budget); }},
      {"active_heads",
       "FP64",
       {},
       nullptr,
       [](Config, One answer) { return Json(answer.active_heads); }},
      {"tokens", "INT64", {}, nullptr, [](Config, One answer) { return Json(answer.tokens); }},
  };
  return kinds;
}

std::vector<const TensorKind*> tensors_of(const ModelConfig& config) {
  const OutputForm form = traits(config.task).output;
  std::vector<const TensorKind*> kinds;
  for (const TensorKind& kind : all_tensors()) {
    const bool has = std::find(kind.forms.begin(), kind.forms.end(), form) != kind.forms.end();
    if (has || kind.forms.empty()) kinds.push_back(&kind);
  }
  return kinds;
}

Json output_metadata(const TensorKind& kind, const ModelConfig& config) {
  Json tensor;
  tensor["name"] = kind.name;
  tensor["datatype"] = kind.datatype;
  tensor["shape"] = Json::array({-1});
  if (kind.width != nullptr) tensor["shape"].push_back(kind.width(config));
  return tensor;
}

Json output_tensor(const TensorKind& kind, const ModelConfig& config,
                   const std::vector<Answer>& answers) {
  Json tensor = output_metadata(kind, config);
  tensor["shape"][0] = answers.size();
  tensor["data"] = Json::array();
  for (const Answer& answer : answers) {
    Json values = kind.values(config, answer);
    if (!values.is_array()) {
      tensor["data"].push_back(std::move(values));
      continue;
    }
    tensor["shape"][1] = values.size();  // of vectors that were shortened
    for (Json& value : values) tensor["data"].push_back(std::move(value));
  }
  return tensor;
}

std::string take_data(Json& tensor) {
  std::string bytes;
  for (const BinaryForm& form : binary_forms) {
    if (tensor["datatype"] != form.datatype) continue;
    for (const Json& value : tensor["data"]) form.append(value, bytes);
  }
  tensor.erase("data");
  tensor["parameters"] = {{"binary_data_size", bytes.size()}};
  return bytes;
}

}  // namespace headroom::server
