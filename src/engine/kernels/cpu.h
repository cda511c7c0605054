// What this CPU and its operating system run. Compiled without any instruction set's flags.
#pragma once

namespace headroom::cpu {

// x86 only. A CPU whose registers the operating system does not save counts as without.
bool has_avx2();         // and FMA
bool has_avx512();       // F, BW, DQ, VL, and AVX2
bool has_avx512_bf16();  // and VNNI, and AVX-512

// CPUID is not to be believed: hypervisors show AMX and trap its instructions, or hide the leaf
// that libraries read the tile configuration from. So a forked child tries a product, once per
// process, and its death is the answer.
bool has_amx();

// 64-bit ARM only.
bool has_neon_dotprod();
bool has_neon_bf16();  // and I8MM, and dot products

}  // namespace headroom::cpu
