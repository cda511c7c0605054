#include "base/measure/entity_f1.h"

#include <algorithm>

namespace headroom {
namespace {

// Whether an entity ends between two words.
bool ends(const TagParts& before, const TagParts& now) {
  if (before.prefix == 'O') return false;
  if (before.prefix == 'E' || before.prefix == 'S') return true;
  return now.prefix == 'B' || now.prefix == 'S' || now.prefix == 'O' || now.type != before.type;
}

// Whether an entity begins with the second of two words.
bool begins(const TagParts& before, const TagParts& now) {
  if (now.prefix == 'O') return false;
  if (now.prefix == 'B' || now.prefix == 'S') return true;
  return before.prefix == 'O' || before.prefix == 'E' || before.prefix == 'S' ||
         now.type != before.type;
}

}  // namespace

TagParts parts_of_tag(std::string_view tag) {
  if (tag == "O" || tag.empty()) return {};
  const bool prefixed = tag.size() > 2 && tag[1] == '-';
  if (!prefixed || std::string_view("BIESLU").find(tag[0]) == std::string_view::npos) {
    return {'I', tag};
  }
  const char prefix = tag[0] == 'L' ? 'E' : tag[0] == 'U' ? 'S' : tag[0];
  return {prefix, tag.substr(2)};
}

void begin_entities_with_b(std::vector<std::string>& tags) {
  TagParts before;
  for (std::string& tag : tags) {
    const TagParts now = parts_of_tag(tag);
    if (tag.starts_with("I-") && begins(before, now)) tag[0] = 'B';
    before = now;
  }
}

void count_entities(std::span<const std::string_view> truth,
                    std::span<const std::string_view> found, HitCounts& counts) {
  TagParts true_before;
  TagParts found_before;
  bool both = false;  // one entity goes on in both, begun at the same word with the same type
  const size_t words = std::min(truth.size(), found.size());
  for (size_t i = 0; i <= words; ++i) {  // one beyond: what is open ends there
    const TagParts true_now = i < words ? parts_of_tag(truth[i]) : TagParts{};
    const TagParts found_now = i < words ? parts_of_tag(found[i]) : TagParts{};
    const bool true_ends = ends(true_before, true_now);
    const bool found_ends = ends(found_before, found_now);
    if (both && true_ends && found_ends) ++counts.correct;
    if (true_ends || found_ends) both = false;
    const bool true_begins = begins(true_before, true_now);
    const bool found_begins = begins(found_before, found_now);
    counts.truth += true_begins ? 1 : 0;
    counts.found += found_begins ? 1 : 0;
    if (true_begins && found_begins && true_now.type == found_now.type) both = true;
    true_before = true_now;
    found_before = found_now;
  }
}

}  // namespace headroom
