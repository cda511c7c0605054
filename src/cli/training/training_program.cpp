#include "cli/training/training_program.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace headroom {
namespace {

// Beside this program; in $PATH where /proc is not mounted, as in a bare chroot.
std::string training_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "headroom-train" : (self.parent_path() / "headroom-train").string();
}

}  // namespace

int start_training_program(const std::vector<std::string>& arguments) {
  // OpenMP's workers spin for a millisecond after each parallel region. On a machine that others
  // use too, two spinning threads ran a training ten times slower than one; sleeping early costs
  // little. Read when the library loads, so it must be in the environment before the program
  // starts.
  setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0);
  const std::string program = training_program();
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(program.c_str(), words.data());
  fmt::print(stderr,
             "headroom: start {}: {} ({}). This needs the training half: build with "
             "-DHEADROOM_TRAINING=ON.\n",
             arguments.empty() ? "training" : arguments[0], program, std::strerror(errno));
  return 1;
}

}  // namespace headroom
