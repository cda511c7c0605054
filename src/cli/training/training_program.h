// headroom-train, the program beside this one that is linked to libtorch: verbs and experiments
// that `headroom` leaves to it, as git starts its sub-commands.
#pragma once

#include <string>
#include <vector>

namespace headroom {

// Replaces this process by `headroom-train arguments...`. Returns, with exit code 1 and after
// saying why, only where that program cannot be started.
int start_training_program(const std::vector<std::string>& arguments);

}  // namespace headroom
