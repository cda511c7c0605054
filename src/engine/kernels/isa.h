// Which instruction set the kernels use: the best one this CPU has, or the one HEADROOM_ISA names.
// Reads the table in kernels.cpp.
#pragma once

#include <string_view>
#include <vector>

namespace headroom {

enum class Isa {
  portable,      // plain C++, any CPU
  avx2,          // AVX2 and FMA
  avx512,        // AVX-512 F, BW, DQ, VL
  avx512_bf16,   // and BF16 and VNNI: dot products of bf16 and int8
  amx,           // and AMX: the same in tiles
  neon,          // 64-bit ARM
  neon_dotprod,  // and its dot products of int8
  neon_bf16,     // and I8MM and BF16: dot products of int8 and bf16
};

std::string_view isa_name(Isa isa);

// Throws ErrorCode::usage listing the known names.
Isa parse_isa(std::string_view name);

// Those that this CPU and its operating system run, the best last; `portable` is always there.
std::vector<Isa> usable_isas();

// Returns `isa` if this CPU runs it; otherwise throws ErrorCode::usage.
Isa checked_isa(Isa isa);

// HEADROOM_ISA where it is set, otherwise the last of usable_isas(). Throws ErrorCode::usage for a
// name that is unknown or that this CPU lacks.
Isa chosen_isa();

}  // namespace headroom
