#include "engine/kernels/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "engine/kernels/cpu.h"

namespace headroom {
namespace {

struct InstructionSet {
  Isa isa;
  std::string_view name;
  bool (*usable)();
  const Kernels& (*kernels)();
};

// In the order of preference: a CPU gets the last one it runs.
constexpr std::array instruction_sets = {
    InstructionSet{Isa::portable, "portable", [] { return true; }, kernels::portable_table},
#if defined(__x86_64__)
    InstructionSet{Isa::avx2, "avx2", cpu::has_avx2, kernels::avx2_table},
    InstructionSet{Isa::avx512, "avx512", cpu::has_avx512, kernels::avx512_table},
    InstructionSet{Isa::avx512_bf16, "avx512_bf16", cpu::has_avx512_bf16,
                   kernels::avx512_bf16_table},
    InstructionSet{Isa::amx, "amx", cpu::has_amx, kernels::amx_table},
#elif defined(__aarch64__)
    InstructionSet{Isa::neon, "neon", [] { return true; }, kernels::neon_table},
    InstructionSet{Isa::neon_dotprod, "neon_dotprod", cpu::has_neon_dotprod,
                   kernels::neon_dotprod_table},
    InstructionSet{Isa::neon_bf16, "neon_bf16", cpu::has_neon_bf16, kernels::neon_bf16_table},
#endif
};

const InstructionSet& entry(Isa isa) {
  const auto* found = std::ranges::find(instruction_sets, isa, &InstructionSet::isa);
  if (found != instruction_sets.end()) return *found;
  throw Error(ErrorCode::usage, "choose instruction set", "it belongs to another architecture");
}

}  // namespace

const Kernels& kernels_for(Isa isa) {
  return entry(isa).kernels();
}

std::string_view isa_name(Isa isa) {
  return entry(isa).name;
}

Isa parse_isa(std::string_view name) {
  std::string known;
  for (const InstructionSet& set : instruction_sets) {
    if (set.name == name) return set.isa;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", set.name);
  }
  throw Error(ErrorCode::usage, "choose instruction set",
              fmt::format("\"{}\" is not one of {}", name, known));
}

std::vector<Isa> usable_isas() {
  std::vector<Isa> isas;
  for (const InstructionSet& set : instruction_sets) {
    if (set.usable()) isas.push_back(set.isa);
  }
  return isas;
}

Isa checked_isa(Isa isa) {
  if (entry(isa).usable()) return isa;
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
