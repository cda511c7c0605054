#include "engine/kernels/cpu.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "engine/kernels/amx/probe.h"
#endif

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace headroom::cpu {

#if defined(__x86_64__)

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool has_avx512_bf16() {
  return has_avx512() && __builtin_cpu_supports("avx512bf16") &&
         __builtin_cpu_supports("avx512vnni");
}

#endif

#if defined(__aarch64__) && defined(__linux__)

bool has_neon_dotprod() {
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
}

bool has_neon_bf16() {
  constexpr unsigned long wanted = HWCAP2_I8MM | HWCAP2_BF16;
  return has_neon_dotprod() && (getauxval(AT_HWCAP2) & wanted) == wanted;
}

#elif defined(__aarch64__)

bool has_neon_dotprod() {
  return false;
}

bool has_neon_bf16() {
  return false;
}

#endif

#if defined(__x86_64__) && defined(__linux__)

namespace {

bool cpuid_names_amx() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  const unsigned wanted = 1U << 22U | 1U << 24U | 1U << 25U;  // bf16, tiles, int8
  return (d & wanted) == wanted;
}

// Tiles are 8 KB more to save on every switch of threads: Linux wants to be asked.
bool permitted() {
  constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long tile_data = 18;               // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

bool child_survives() {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    _exit(kernels::amx::products_are_right() ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool has_amx() {
  static const bool works =
      has_avx512_bf16() && cpuid_names_amx() && permitted() && child_survives();
  return works;
}

#else

bool has_amx() {
  return false;
}

#endif

}  // namespace headroom::cpu
