// Makes a JSON value of the events of nlohmann's parser and bounds what a stranger's text may cost:
// depth, keys, values (containers too) and duplicate keys, each checked where it happens. The
// library's own parser with a callback walks over an array after every object inside it: two
// megabytes of [{},{},...] took minutes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"

namespace headroom {

template <typename AnyJson>
class JsonBuilder {
 public:
  using Object = typename AnyJson::object_t;

  // `operation` is what errors name ("parse config.json").
  JsonBuilder(ErrorCode code, std::string operation, const JsonLimits& limits)
      : code_(code), operation_(std::move(operation)), limits_(limits) {}

  AnyJson take() { return std::move(root_); }

  // Values and keys added and keys compared so far. Grows with the text's length, times the
  // logarithm of the keys of one object: tests hold it to that.
  size_t operations() const { return operations_; }

  // The events, by the names that nlohmann's sax_parse calls.
  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(typename AnyJson::number_integer_t value) { return add(value); }
  bool number_unsigned(typename AnyJson::number_unsigned_t value) { return add(value); }
  bool number_float(typename AnyJson::number_float_t value, const std::string& /*text*/) {
    return add(value);
  }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(typename AnyJson::binary_t& value) { return add(std::move(value)); }
  bool start_object(size_t /*size*/) { return open(Object()); }
  bool start_array(size_t /*size*/) { return open(typename AnyJson::array_t()); }
  bool end_array() {
    open_.pop_back();
    return true;
  }

  bool key(std::string& key) {
    Object& object = open_.back()->template get_ref<Object&>();
    if (object.size() == limits_.keys) {
      fail(fmt::format("an object has more than {} keys", limits_.keys));
    }
    ++operations_;
    if constexpr (keeps_order) {
      lookups_ += object.size() + 1;
      if (lookups_ > max_lookups) fail("has too many keys; is this the right file?");
      // Its own emplace would compare the key with all before it.
      auto& entries = static_cast<typename Object::Container&>(object);
      slot_ = &entries.emplace_back(std::move(key), nullptr).second;
    } else {
      const auto [entry, is_new] = object.emplace(std::move(key), nullptr);
      if (!is_new) fail_twice(entry->first);
      slot_ = &entry->second;
    }
    return true;
  }

  bool end_object() {
    if constexpr (keeps_order) check_keys(open_.back()->template get_ref<const Object&>());
    open_.pop_back();
    return true;
  }

  template <typename Exception>
  [[noreturn]] bool parse_error(size_t /*position*/, const std::string& /*token*/,
                                const Exception& problem) {
    throw problem;
  }

 private:
  static constexpr bool keeps_order = std::is_same_v<AnyJson, Json>;
  static constexpr size_t max_depth = 64;  // far above any file of ours, far below what overflows
                                           // a stack
  // How often a key may be compared with those before it when every key of a file is looked up:
  // one object of 15,000 keys, or the 10,000 labels that a model may have in both directions.
  static constexpr size_t max_lookups = 120'000'000;

  [[noreturn]] void fail(const std::string& fact) const { throw Error(code_, operation_, fact); }
  [[noreturn]] void fail_twice(std::string_view key) const {
    fail(fmt::format("key {} appears twice", shown(Json(key))));
  }

  bool add(AnyJson value) {
    insert(std::move(value));
    return true;
  }

  bool open(AnyJson container) {
    if (open_.size() == max_depth) fail(fmt::format("nested deeper than {} levels", max_depth));
    open_.push_back(insert(std::move(container)));
    return true;
  }

  // Puts a value where the text has it; the address holds until its parent gets the next one.
  AnyJson* insert(AnyJson value) {
    if (++values_ > limits_.values) fail(fmt::format("has more than {} values", limits_.values));
    ++operations_;
    if (open_.empty()) return &(root_ = std::move(value));
    if (open_.back()->is_object()) return &(*slot_ = std::move(value));
    auto& array = open_.back()->template get_ref<typename AnyJson::array_t&>();
    return &array.emplace_back(std::move(value));
  }

  void check_keys(const Object& object) {
    if (object.size() < 2) return;
    keys_.clear();
    for (const auto& [key, value] : object) keys_.push_back(key);
    std::sort(keys_.begin(), keys_.end(), [this](std::string_view a, std::string_view b) {
      ++operations_;
      return a < b;
    });
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    if (twice != keys_.end()) fail_twice(*twice);
  }

  ErrorCode code_;
  std::string operation_;
  JsonLimits limits_;
  AnyJson root_;
  std::vector<AnyJson*> open_;          // containers, outermost first
  AnyJson* slot_ = nullptr;             // of the last key
  std::vector<std::string_view> keys_;  // of the object that was closed last, sorted
  size_t values_ = 0;
  size_t lookups_ = 0;
  size_t operations_ = 0;
};

}  // namespace headroom
