#include "engine/precision.h"

#include <fmt/format.h>

#include "base/error.h"

namespace headroom {

std::string_view precision_name(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return "fp32";
    case Precision::bf16:
      return "bf16";
    case Precision::int8:
      return "int8";
  }
  return "fp32";
}

Precision parse_precision(std::string_view name) {
  for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
    if (precision_name(precision) == name) return precision;
  }
  throw Error(ErrorCode::usage, "choose precision",
              fmt::format("\"{}\" is not one of fp32, bf16, int8", name));
}

}  // namespace headroom
