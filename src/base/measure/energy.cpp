#include "base/measure/energy.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace headroom {
namespace {

namespace fs = std::filesystem;

// The first number of a file; none where it cannot be read, as RAPL's can by root alone.
std::optional<uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  uint64_t value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

// "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it.
bool is_package(const std::string& name) {
  return std::count(name.begin(), name.end(), ':') == 1;
}

}  // namespace

EnergyMeter::EnergyMeter(const fs::path& root) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    if (!is_package(entry.path().filename().string())) continue;
    const fs::path file = entry.path() / "energy_uj";
    const std::optional<uint64_t> now = number_in(file);
    if (!now) continue;
    counters_.push_back({file, number_in(entry.path() / "max_energy_range_uj").value_or(0), *now});
  }
}

void EnergyMeter::start() {
  for (Counter& counter : counters_) {
    counter.begin = number_in(counter.file).value_or(counter.begin);
  }
}

double EnergyMeter::joules() const {
  double sum = 0;
  for (const Counter& counter : counters_) {
    const uint64_t now = number_in(counter.file).value_or(counter.begin);
    const uint64_t turned = now < counter.begin ? counter.range : 0;
    sum += 1e-6 * (static_cast<double>(now + turned) - static_cast<double>(counter.begin));
  }
  return sum;
}

}  // namespace headroom
