// Commands that show what a verb is for, in its help, on its man page and in the reference.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headroom {

// A command a line; none for a verb that nobody knows.
std::vector<std::string> examples_of(std::string_view verb);

}  // namespace headroom
