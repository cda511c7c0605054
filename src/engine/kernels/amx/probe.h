// Tries AMX's products: for cpu.cpp, in a process that may die of it.
#pragma once

namespace headroom::kernels::amx {

// Needs the operating system's permission to use tiles.
bool products_are_right();

}  // namespace headroom::kernels::amx
