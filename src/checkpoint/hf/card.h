// Model cards that travel between Hugging Face folders and our checkpoints: the former card stays
// as it is, licence and all, and a section says what was done.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace headroom {

// Files beside a card that travel with it.
inline constexpr std::array<const char*, 4> licence_names = {"LICENSE", "LICENSE.txt", "LICENSE.md",
                                                             "NOTICE"};

// `former` is the card of what it was made from, or empty. Each of `lines` becomes a list item.
std::string card_with_section(const std::string& former, const std::string& title,
                              const std::vector<std::string>& lines);

}  // namespace headroom
