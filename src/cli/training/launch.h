// Starts copies of this program on this machine, as torchrun does, and looks after them.
#pragma once

#include <string>
#include <vector>

namespace headroom {

// Runs `count` copies of /proc/self/exe with `arguments` (the verb first), each told its rank
// through RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT. Only the
// first one's output is passed on; of the others what they said is told if they fail. The first to
// fail ends all: asked to stop, after ten seconds made to. Throws an Error that says which failed,
// with the code it ended with.
// Up to `restarts` times a job that lost a rank to a signal goes on with one fewer instead, with
// --resume; SIGUSR1 and SIGUSR2 then give it one more or one fewer, after it has saved.
void run_ranks(int count, std::vector<std::string> arguments, int restarts);

}  // namespace headroom
