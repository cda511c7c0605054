// The names of precisions.
#pragma once

#include "base/enum_table.h"
#include "headroom/types.h"

namespace headroom {

inline constexpr auto precision_table = enum_table<Precision>(
    "precision", {{Precision::fp32, "fp32"}, {Precision::bf16, "bf16"}, {Precision::int8, "int8"}});

}  // namespace headroom
