#include "engine/kernels/isa.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "engine/kernels/amx_probe.h"

namespace headroom {
namespace {

constexpr std::array all_isas = {Isa::portable, Isa::avx2, Isa::avx512, Isa::avx512_bf16, Isa::amx};

bool usable(Isa isa) {
#if defined(__x86_64__)
  // These ask the operating system too: a CPU whose registers it does not save counts as without.
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  const bool avx512_bf16 =
      avx512 && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vnni");
  switch (isa) {
    case Isa::portable:
      return true;
    case Isa::avx2:
      return avx2;
    case Isa::avx512:
      return avx512;
    case Isa::avx512_bf16:
      return avx512_bf16;
    case Isa::amx:
      return avx512_bf16 && amx_usable();
  }
  return false;
#else
  return isa == Isa::portable;
#endif
}

}  // namespace

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::portable:
      return "portable";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
    case Isa::avx512_bf16:
      return "avx512_bf16";
    case Isa::amx:
      return "amx";
  }
  return "portable";
}

Isa parse_isa(std::string_view name) {
  std::string known;
  for (const Isa isa : all_isas) {
    if (isa_name(isa) == name) return isa;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", isa_name(isa));
  }
  throw Error(ErrorCode::usage, "choose instruction set",
              fmt::format("\"{}\" is not one of {}", name, known));
}

std::vector<Isa> usable_isas() {
  std::vector<Isa> isas;
  std::copy_if(all_isas.begin(), all_isas.end(), std::back_inserter(isas), usable);
  return isas;
}

Isa checked_isa(Isa isa) {
  if (usable(isa)) return isa;
  throw Error(ErrorCode::usage, "choose instruction set",
              fmt::format("this CPU does not run {}; its best is {}", isa_name(isa),
                          isa_name(usable_isas().back())));
}

Isa chosen_isa() {
  const char* wanted = std::getenv("HEADROOM_ISA");
  if (wanted == nullptr || *wanted == '\0') return usable_isas().back();
  return checked_isa(parse_isa(wanted));
}

}  // namespace headroom
