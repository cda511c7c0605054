#include "base/memory_allowance.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "base/measure/machine.h"

namespace headroom {

MemoryAllowance::MemoryAllowance(uint64_t limit, std::string operation, std::string what)
    : limit_(limit > 0 ? limit : static_cast<uint64_t>(available_memory_bytes()) / 10 * 9),
      asked_for_(limit > 0),
      operation_(std::move(operation)),
      what_(std::move(what)) {}

void MemoryAllowance::fail(std::string_view context) const {
  throw Error(ErrorCode::runtime, operation_,
              fmt::format("{}: the {} take more than {} ({})", context, what_, shown_bytes(limit_),
                          asked_for_ ? "--max-memory" : "nine tenths of the memory available"));
}

uint64_t heap_bytes(const std::string& text) {
  constexpr size_t inside = 15;
  constexpr size_t beside = 16;  // what malloc keeps of its own
  return text.size() > inside ? text.size() + beside : 0;
}

std::string shown_bytes(uint64_t bytes) {
  constexpr std::array<const char*, 5> units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace headroom
