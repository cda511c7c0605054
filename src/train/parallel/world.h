// Which of several processes this one is, as whoever started them tells through the environment:
// torchrun, mpirun (Open MPI, MPICH), srun, or our own --nproc. No torch in this header.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace headroom {
inline namespace train {

struct World {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  // among the processes of this machine
  int local_size = 1;
  std::string address = "127.0.0.1";  // where rank 0 listens
  int port = 29500;
};

struct ParallelSettings {
  World world;
  int64_t accumulate = 1;         // parts that a process computes its share of a batch in
  double timeout_seconds = 1800;  // that processes wait for each other; a validation takes time
};

using Environment = std::function<const char*(const char* name)>;

// Throws ErrorCode::usage for a number that is none, a rank outside of the job, and a job over
// several machines that does not say where rank 0 is.
World find_world(const Environment& environment);
World find_world();  // of this process

// "gpu[003-007,9],login" -> "gpu003": the first machine of a list as Slurm writes it.
std::string first_host(const std::string& node_list);

}  // namespace train
}  // namespace headroom
