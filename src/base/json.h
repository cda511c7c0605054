// JSON at the edge: parsed with limits, read field by field with typed errors.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace headroom {

using Json = nlohmann::ordered_json;  // keeps the order in which keys were written

// What a stranger's text may hold. Parsing takes time and memory in proportion to the text, but a
// value of two bytes in it takes fifty in memory, and looking up a key walks over those before it.
struct JsonLimits {
  size_t keys = std::numeric_limits<size_t>::max();    // of one object
  size_t values = std::numeric_limits<size_t>::max();  // of every kind, arrays and objects too
};

// Parses `text`, refusing nesting deeper than 64, duplicate keys, objects of so many keys that
// finding them would take seconds (about 15,000), and what is beyond `limits`. `origin` names the
// file or field.
Json parse_json(std::string_view text, ErrorCode code, std::string_view origin,
                const JsonLimits& limits = {});

// The same for objects of many keys, such as a vocabulary: a Json finds a key by walking over all
// before it, so that reading 30,000 of them takes seconds.
using SortedJson = nlohmann::json;
SortedJson parse_sorted_json(std::string_view text, ErrorCode code, std::string_view origin);

// A value as a message may show it: short, however long it is in the file.
std::string shown(const Json& value);
std::string shown(const SortedJson& value);

// An object without the keys whose value is null, which many writers use for "not said".
Json without_nulls(const Json& object);

// Reads fields of one JSON object and reports what is wrong with the full field name:
//   "read config.json: num_hidden_layers is -3, expected a whole number from 1 to 128".
class JsonFields {
 public:
  JsonFields(const Json& object, ErrorCode code, std::string origin);

  bool has(std::string_view key) const;
  bool is_text(std::string_view key) const;  // of a key that is there
  int64_t integer(std::string_view key, int64_t least, int64_t most) const;
  int64_t integer_or(std::string_view key, int64_t fallback, int64_t least, int64_t most) const;
  double number(std::string_view key, double least, double most) const;
  double number_or(std::string_view key, double fallback, double least, double most) const;
  bool boolean_or(std::string_view key, bool fallback) const;
  std::string text(std::string_view key) const;
  std::string text_or(std::string_view key, std::string fallback) const;
  const Json& object(std::string_view key) const;
  const Json& array(std::string_view key) const;

  // Throws this reader's typed error about `key`; `complaint` continues the sentence "KEY ...".
  [[noreturn]] void fail(std::string_view key, std::string_view complaint) const;

 private:
  const Json& at(std::string_view key) const;

  const Json& object_;
  ErrorCode code_;
  std::string origin_;
};

}  // namespace headroom
