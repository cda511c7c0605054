// One table per enum: its values with their names and a line of help. Names, parsing and the lists
// in messages and --help all come from it.
//
//   inline constexpr auto colour_table = enum_table<Colour>("colour", {
//       {Colour::red, "red", "warm"},
//       {Colour::blue, "blue", "cold"}});
//   colour_table.name(Colour::red);    // "red"
//   colour_table.parse("green");       // Error: colour "green" is not one of red, blue
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "headroom/error.h"

namespace headroom {

template <typename Enum>
struct EnumEntry {
  Enum value{};
  std::string_view name;
  std::string_view help = {};
};

template <typename Enum, size_t N>
struct EnumTable {
  std::string_view concept_name;  // "precision": begins the message of parse()
  std::array<EnumEntry<Enum>, N> entries;

  // A value without an entry has no name.
  constexpr std::string_view name(Enum value) const {
    for (const EnumEntry<Enum>& entry : entries) {
      if (entry.value == value) return entry.name;
    }
    return {};
  }

  constexpr std::optional<Enum> find(std::string_view name) const {
    for (const EnumEntry<Enum>& entry : entries) {
      if (entry.name == name) return entry.value;
    }
    return std::nullopt;
  }

  // Throws `code` for a name that is not in the table.
  Enum parse(std::string_view name, ErrorCode code = ErrorCode::usage,
             const char* operation = "read options") const {
    if (const std::optional<Enum> value = find(name)) return *value;
    throw Error(
        code, operation,
        std::string(concept_name) + " \"" + std::string(name) + "\" is not one of " + list());
  }

  // "fp32, bf16, int8"
  std::string list() const {
    std::string names;
    for (const EnumEntry<Enum>& entry : entries) {
      names += (names.empty() ? "" : ", ") + std::string(entry.name);
    }
    return names;
  }
};

template <typename Enum, size_t N>
constexpr EnumTable<Enum, N> enum_table(std::string_view concept_name,
                                        const EnumEntry<Enum> (&entries)[N]) {
  EnumTable<Enum, N> table{concept_name, {}};
  for (size_t i = 0; i < N; ++i) table.entries[i] = entries[i];
  return table;
}

}  // namespace headroom
