// How the parts of tokenizer.json are read: by their "type", each kind a line in a table.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "base/json.h"

namespace headroom {

inline constexpr std::string_view tokenizer_origin = "tokenizer.json";

[[noreturn]] inline void refuse_tokenizer_json(const std::string& message) {
  throw Error(ErrorCode::bad_model, "read tokenizer.json", message);
}

// A part's keys but those that are null; `name` is what errors call it ("normalizer").
class TokenizerPart {
 public:
  TokenizerPart(const Json& json, std::string_view name)
      : json_(checked(json, name)),
        fields_(json_, ErrorCode::bad_model, fmt::format("{} {}", tokenizer_origin, name)) {}
  TokenizerPart(const TokenizerPart&) = delete;
  TokenizerPart& operator=(const TokenizerPart&) = delete;

  const JsonFields& fields() const { return fields_; }
  const Json& json() const { return json_; }

 private:
  static Json checked(const Json& json, std::string_view name) {
    if (!json.is_object()) {
      refuse_tokenizer_json(fmt::format("{} is {}, expected an object", name, shown(json)));
    }
    return without_nulls(json);
  }

  Json json_;
  JsonFields fields_;
};

template <typename Make>
struct PartKind {
  std::string_view type;
  Make make;
};

// The maker of the part's type. Throws ErrorCode::bad_model, naming it and those that are known.
template <typename Make, size_t count>
Make find_kind(const std::array<PartKind<Make>, count>& kinds, const JsonFields& fields) {
  const std::string type = fields.text("type");
  std::string known;
  for (const PartKind<Make>& kind : kinds) {
    if (kind.type == type) return kind.make;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.type);
  }
  fields.fail("type",
              fmt::format("is \"{}\", which is not read here; known are {}. Convert the tokenizer "
                          "to those parts, or open an issue with the model's name",
                          type, known));
}

}  // namespace headroom
