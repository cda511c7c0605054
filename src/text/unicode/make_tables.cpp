// Prints unicode_tables.inc from the utf8proc that this is built with:
//   ninja -C build make-unicode-tables && build/bin/make-unicode-tables
//   >src/text/unicode/tables.inc
#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "text/unicode/tables.h"

namespace headroom {
namespace {

constexpr char32_t end_of_unicode = 0x110000;

// As many on a line as fit.
void print_entries(const char* declaration, const std::vector<std::string>& entries) {
  fmt::print("\nconstexpr {} = {{\n", declaration);
  std::string line = "   ";
  for (const std::string& entry : entries) {
    if (line.size() + entry.size() + 2 > 100) {
      fmt::print("{}\n", line);
      line = "   ";
    }
    line += " " + entry + ",";
  }
  fmt::print("{}\n}};\n", line);
}

void print_kinds() {
  std::vector<std::string> entries;
  for (char32_t c = 0; c < end_of_unicode; ++c) {
    if (c > 0 && kind_of(c) == kind_of(c - 1)) continue;
    entries.push_back(
        fmt::format("{{0x{:X}, {}}}", static_cast<uint32_t>(c), static_cast<int>(kind_of(c))));
  }
  print_entries("KindRange kind_ranges[]", entries);
}

void print_cases() {
  struct Run {
    uint32_t first, last, step;
    int32_t distance;
  };
  std::vector<Run> runs;
  for (uint32_t c = 0; c < end_of_unicode; ++c) {
    const auto distance = static_cast<int32_t>(lower_case_of(c)) - static_cast<int32_t>(c);
    if (distance == 0) continue;
    Run* last = runs.empty() ? nullptr : &runs.back();
    const uint32_t step = last == nullptr ? 0 : c - last->last;
    const bool alone = last != nullptr && last->first == last->last;
    if (last != nullptr && last->distance == distance && step <= 2 &&
        (alone || step == last->step)) {
      last->last = c;
      last->step = step;
    } else {
      runs.push_back({c, c, 1, distance});
    }
  }
  std::vector<std::string> entries;
  for (const Run& run : runs) {
    entries.push_back(
        fmt::format("{{0x{:X}, 0x{:X}, {}, {}}}", run.first, run.last, run.step, run.distance));
  }
  print_entries("CaseRange case_ranges[]", entries);
}

void print_combining_classes() {
  std::vector<std::string> entries;
  for (uint32_t c = 0; c < end_of_unicode;) {
    const int combining_class = combining_class_of(c);
    const uint32_t first = c;
    while (c < end_of_unicode && combining_class_of(c) == combining_class) ++c;
    if (combining_class == 0) continue;
    entries.push_back(fmt::format("{{0x{:X}, 0x{:X}, {}}}", first, c - 1, combining_class));
  }
  print_entries("CombiningRange combining_ranges[]", entries);
}

void print_decompositions() {
  std::vector<std::string> entries;
  for (uint32_t c = 0; c < end_of_unicode; ++c) {
    const bool computed = c >= first_syllable && c < first_syllable + syllables;
    const Decomposed parts = decomposition_of(c);
    if (computed || (parts.count == 1 && parts.characters[0] == c)) continue;
    std::string list;
    for (size_t i = 0; i < parts.count; ++i) {
      list +=
          fmt::format("{}0x{:X}", i > 0 ? ", " : "", static_cast<uint32_t>(parts.characters[i]));
    }
    entries.push_back(fmt::format("{{0x{:X}, {{{}}}}}", c, list));
  }
  print_entries("Decomposition decompositions[]", entries);
}

std::u32string normalised(const std::u32string& text, int options) {
  std::vector<utf8proc_int32_t> buffer(64);
  std::copy(text.begin(), text.end(), buffer.begin());
  if ((options & UTF8PROC_COMPOSE) == 0) {
    const auto count = utf8proc_decompose_char(buffer[0], buffer.data(),
                                               static_cast<utf8proc_ssize_t>(buffer.size()),
                                               static_cast<utf8proc_option_t>(options), nullptr);
    return {buffer.begin(), buffer.begin() + count};
  }
  const auto count =
      utf8proc_normalize_utf32(buffer.data(), static_cast<utf8proc_ssize_t>(text.size()),
                               static_cast<utf8proc_option_t>(options));
  return {buffer.begin(), buffer.begin() + count};
}

void print_compatibilities() {
  std::vector<std::string> entries;
  std::vector<std::string> characters;
  for (uint32_t c = 0; c < end_of_unicode; ++c) {
    const std::u32string all = normalised({c}, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
    const Decomposed parts = decomposition_of(c);
    if (all == std::u32string(parts.characters.data(), parts.count)) continue;
    entries.push_back(fmt::format("{{0x{:X}, {}, {}}}", c, characters.size(), all.size()));
    for (const char32_t each : all) {
      characters.push_back(fmt::format("0x{:X}", static_cast<uint32_t>(each)));
    }
  }
  print_entries("char32_t compatible_characters[]", characters);
  print_entries("Compatibility compatibilities[]", entries);
}

void print_compositions() {
  std::map<std::pair<char32_t, char32_t>, uint32_t> pairs;
  for (uint32_t c = 0; c < end_of_unicode; ++c) {
    const Decomposed parts = decomposition_of(c);
    if (parts.count < 2 || (c >= first_syllable && c < first_syllable + syllables)) continue;
    const std::u32string all(parts.characters.data(), parts.count);
    if (normalised(all, UTF8PROC_COMPOSE) != std::u32string{c}) continue;
    const std::u32string first = normalised(all.substr(0, all.size() - 1), UTF8PROC_COMPOSE);
    if (first.size() == 1) pairs[{first[0], all.back()}] = c;
  }
  std::vector<std::string> entries;
  for (const auto& [pair, composed] : pairs) {
    entries.push_back(fmt::format("{{0x{:X}, 0x{:X}, 0x{:X}}}", static_cast<uint32_t>(pair.first),
                                  static_cast<uint32_t>(pair.second), composed));
  }
  print_entries("Composition compositions[]", entries);
}

GraphemeBreak break_of(uint32_t c) {
  switch (utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->boundclass) {
    case UTF8PROC_BOUNDCLASS_CR:
      return GraphemeBreak::cr;
    case UTF8PROC_BOUNDCLASS_LF:
      return GraphemeBreak::lf;
    case UTF8PROC_BOUNDCLASS_CONTROL:
      return GraphemeBreak::control;
    case UTF8PROC_BOUNDCLASS_EXTEND:
    case UTF8PROC_BOUNDCLASS_ZWJ:
      return GraphemeBreak::extend;
    case UTF8PROC_BOUNDCLASS_SPACINGMARK:
      return GraphemeBreak::spacing_mark;
    case UTF8PROC_BOUNDCLASS_PREPEND:
      return GraphemeBreak::prepend;
    default:
      return GraphemeBreak::other;
  }
}

void print_breaks() {
  std::vector<std::string> entries;
  for (uint32_t c = 0; c < end_of_unicode; ++c) {
    if (c > 0 && break_of(c) == break_of(c - 1)) continue;
    entries.push_back(fmt::format("{{0x{:X}, {}}}", c, static_cast<int>(break_of(c))));
  }
  print_entries("BreakRange break_ranges[]", entries);
}

}  // namespace
}  // namespace headroom

int main() {
  fmt::print("// Made by make-unicode-tables from utf8proc, Unicode {}. Not to be edited.\n",
             utf8proc_unicode_version());
  headroom::print_kinds();
  headroom::print_cases();
  headroom::print_combining_classes();
  headroom::print_decompositions();
  headroom::print_compatibilities();
  headroom::print_compositions();
  headroom::print_breaks();
  return 0;
}
