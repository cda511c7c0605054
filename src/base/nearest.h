// What somebody who mistyped a name most likely meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headroom {

// The name that fewest edits (insert, delete, replace, swap neighbours) turn `word` into, or that
// it is the start of; empty where none is near.
std::string_view nearest(std::string_view word, std::span<const std::string> names);

// "; did you mean NAME", or nothing: a part of a longer message.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace headroom
