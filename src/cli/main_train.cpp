// `headroom-train`: the verbs that need libtorch. Users start it through `headroom`.
#include <fmt/format.h>
#include <malloc.h>
#include <stdlib.h>

#include <string_view>

#include "cli/verb.h"

namespace headroom {
namespace {

constexpr Verb verbs[] = {
    {"train", "", run_train},   {"eval", "", run_eval},           {"predict", "", run_predict},
    {"bench", "", run_bench},   {"reproduce", "", run_reproduce}, {"pretrain", "", run_pretrain},
    {"report", "", run_report}, {"elastic", "", run_elastic},
};

// Both measured to give 5-10 % of training speed on CPUs. ATen 1.13 starts with its AVX2 kernels
// even where AVX-512 is there (and ignores the wish where it is not); glibc returns the large
// activation buffers of each step to the system and faults them in again.
void tune_process() {
  if (__builtin_cpu_supports("avx512f")) setenv("ATEN_CPU_CAPABILITY", "avx512", /*overwrite=*/0);
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  headroom::tune_process();
  const std::string_view name = argc > 1 ? argv[1] : "";
  for (const headroom::Verb& verb : headroom::verbs) {
    if (verb.name == name) return verb.run(argc - 1, argv + 1);
  }
  fmt::print(stderr, "headroom-train is started by headroom; headroom --help lists the verbs\n");
  return 2;
}
