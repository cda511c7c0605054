// Entities of tagged words, found and counted as the conlleval script of the CoNLL shared tasks
// does: an entity counts only when its first word, last word and type are all right.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/measure/hit_counts.h"

namespace headroom {

// A tag taken apart: "B-PER" is B of PER. A tag without a prefix other than O ("NOUN") counts as
// inside an entity of that type.
struct TagParts {
  char prefix = 'O';
  std::string_view type;
};
TagParts parts_of_tag(std::string_view tag);

// IOB1 to IOB2: an I that begins an entity becomes B. Tags of other schemes stay as they are.
void begin_entities_with_b(std::vector<std::string>& tags);

// Adds the entities of one sentence, whose words have these tags. B, I, O, E and S prefixes (also
// as L and U) are understood, and any mixture of them.
void count_entities(std::span<const std::string_view> truth,
                    std::span<const std::string_view> found, HitCounts& counts);

}  // namespace headroom
