// What bench-versions asks of a version of the library, in C: two of them in one process share no
// C++ types.
#pragma once

#include <cstdint>

extern "C" {

// A loaded model, never freed. `precision`: 0 fp32, 1 bf16, 2 int8.
using LoadContestant = void*(const char* model, int precision);
// Classifies `texts` texts of `tokens` ids each, one behind the other.
using RunContestant = void(void* model, const int32_t* ids, int texts, int tokens);
}
