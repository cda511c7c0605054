#include "server/api/dialects/inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/api/texts.h"
#include "server/models/serving_plan.h"

namespace headroom::server {
namespace {

[[noreturn]] void bad_form(std::string_view name) {
  throw HttpError(
      HttpErrorCode::bad_request,
      fmt::format("{} is neither a text, a list of texts, token ids nor a list of them", name));
}

bool all_of(const Json& list, bool (*is)(const Json& value)) {
  return std::all_of(list.begin(), list.end(), is);
}
bool is_text(const Json& value) {
  return value.is_string();
}
bool is_id(const Json& value) {
  return value.is_number_unsigned();
}
bool is_ids(const Json& value) {
  return value.is_array() && all_of(value, is_id);
}

// The ids with the model's special tokens around them.
Tokens tokens_of(const Json& ids, std::string_view name, const ServedModel& model) {
  const auto unprocessable = [&](const std::string& fact) {
    throw HttpError(HttpErrorCode::unprocessable, fmt::format("{} {}", name, fact));
  };
  const Tokenizer& tokenizer = model.engine->tokenizer();
  const size_t room = tokenizer.room(static_cast<int>(model.config.longest_input()));
  if (ids.size() > room) {
    unprocessable(fmt::format("has {} token ids, this model takes {}", ids.size(), room));
  }
  std::vector<int32_t> pieces;
  for (const Json& id : ids) {
    const auto value = id.get<uint64_t>();
    if (value >= static_cast<uint64_t>(model.config.shape.vocabulary)) {
      unprocessable(fmt::format("has the token id {}, this model's vocabulary has {}", value,
                                model.config.shape.vocabulary));
    }
    pieces.push_back(static_cast<int32_t>(value));
  }
  return {tokenizer.frame(pieces)};
}

// Null is as good as absent: clients send what they were not given as null.
const Json* present(const Json& body, const std::string& key) {
  const auto found = body.find(key);
  return found == body.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

// Eight texts of the longest encoders, a hundred and more of BERT's. Values that are empty lists
// take fifty bytes each, which together is less than what a thread has for the largest body.
size_t most_token_ids(const CallLimits& limits) {
  constexpr int64_t longest_text = 8192;
  constexpr int64_t most = 65'536;
  return static_cast<size_t>(std::min(limits.texts * longest_text, most));
}

const ServedModel& model_at(const Backend& backend, const ApiRequest& request,
                            const std::string& name, std::string_view path) {
  if (name.empty()) {
    for (const ServedModel& model : backend.models()) {
      const bool allowed = !request.key || request.key->may_use(model.name);
      if (!allowed || path_of(model.config.task) != path) continue;
      return find_model(backend, request, std::string(name_without_version(model.name)));
    }
  }
  const ServedModel& model = find_model(backend, request, name);
  require_path(model, path);
  return model;
}

void read_texts_or_ids(const Json& value, std::string_view name, const ServedModel& model,
                       const CallLimits& limits, Call& call) {
  if (value.is_string()) {
    call.texts = {{value.get_ref<const std::string&>()}};
    return;
  }
  if (!value.is_array()) bad_form(name);
  if (!value.empty() && all_of(value, is_id)) {
    call.inputs = {tokens_of(value, name, model)};
    return;
  }
  check_text_count(value.size(), limits.texts);
  if (all_of(value, is_text)) {
    for (const Json& text : value) call.texts.push_back({text.get_ref<const std::string&>()});
  } else if (all_of(value, is_ids)) {
    for (const Json& ids : value) call.inputs.push_back(tokens_of(ids, name, model));
  } else {
    bad_form(name);
  }
}

std::optional<bool> flag_field(const Json& body, const std::string& key) {
  const Json* found = present(body, key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_boolean()) {
    throw HttpError(HttpErrorCode::bad_request, fmt::format("{} is not true or false", key));
  }
  return found->get<bool>();
}

std::optional<std::string> text_field(const Json& body, const std::string& key) {
  const Json* found = present(body, key);
  if (found == nullptr) return std::nullopt;
  return text_value(*found, key);
}

}  // namespace headroom::server
