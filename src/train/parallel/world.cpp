#include "train/parallel/world.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace headroom {
inline namespace train {
namespace {

// What one launcher calls these numbers; the first two are there in every process of a job.
struct LauncherNames {
  const char* size;
  const char* rank;
  const char* local_rank;
  const char* local_size;
};

constexpr LauncherNames torchrun = {"WORLD_SIZE", "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr LauncherNames launchers[] = {
    torchrun,
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    // A batch script has SLURM_NTASKS too, but is one process: only srun counts a step's tasks.
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"},
};

[[noreturn]] void refuse(const std::string& fact) {
  throw Error(ErrorCode::usage, "find the other processes", fact);
}

class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  bool has(const char* name) const { return environment_(name) != nullptr; }
  std::string text(const char* name) const { return has(name) ? environment_(name) : ""; }

  // Slurm writes tasks per node as "4(x2),1": the first number counts.
  std::optional<int> number(const char* name) const {
    if (!has(name)) return std::nullopt;
    const std::string_view text = environment_(name);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = end == text.data() + text.size() || *end == '(' || *end == ',';
    if (error != std::errc() || !whole || value < 0) {
      refuse(fmt::format("{}={} is not a count", name, text));
    }
    return value;
  }

 private:
  const Environment& environment_;
};

void set_address(World& world, const Variables& variables) {
  const std::string nodes = variables.text("SLURM_STEP_NODELIST");
  if (variables.has("MASTER_ADDR")) {
    world.address = variables.text("MASTER_ADDR");
  } else if (!nodes.empty()) {
    world.address = first_host(nodes);
  } else if (world.local_size < world.size) {
    refuse("the job spans several machines: set MASTER_ADDR to the one of rank 0");
  }
  if (const auto port = variables.number("MASTER_PORT")) {
    world.port = *port;
  } else if (const auto job = variables.number("SLURM_JOB_ID")) {
    world.port = 20000 + *job % 10000;  // two jobs on one machine should not meet
  }
  if (world.port < 1 || world.port > 65535) {
    refuse(fmt::format("MASTER_PORT={} is not a port", world.port));
  }
}

}  // namespace

std::string first_host(const std::string& node_list) {
  const size_t bracket = node_list.find('[');
  const size_t comma = node_list.find(',');
  if (bracket > comma || bracket == std::string::npos) return node_list.substr(0, comma);
  const size_t end = node_list.find_first_of(",-]", bracket);
  return node_list.substr(0, bracket) + node_list.substr(bracket + 1, end - bracket - 1);
}

World find_world(const Environment& environment) {
  const Variables variables(environment);
  World world;
  for (const LauncherNames& names : launchers) {
    const auto size = variables.number(names.size);
    const auto rank = variables.number(names.rank);
    if (!size || !rank) continue;
    if (*rank >= *size) {
      refuse(fmt::format("{}={} is not below {}={}", names.rank, *rank, names.size, *size));
    }
    world.rank = *rank;
    world.size = *size;
    // torchrun's variables set by hand often leave out the local ones: one machine then.
    world.local_rank = variables.number(names.local_rank).value_or(*rank);
    world.local_size = variables.number(names.local_size).value_or(*size);
    break;
  }
  if (world.size > 1) set_address(world, variables);
  return world;
}

World find_world() {
  return find_world([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace train
}  // namespace headroom
