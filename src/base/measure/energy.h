// Energy that the processors have used, as their own counters (RAPL) say it under
// /sys/class/powercap: of whole packages, whatever ran on them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace headroom {

class EnergyMeter {
 public:
  // Finds the counters of packages that this process may read.
  explicit EnergyMeter(const std::filesystem::path& root = "/sys/class/powercap");

  bool readable() const { return !counters_.empty(); }

  void start();
  // Since start(), over all packages; a counter that began anew is followed once.
  double joules() const;

 private:
  struct Counter {
    std::filesystem::path file;
    uint64_t range;  // micro-joules after which it begins anew; 0: not known
    uint64_t begin;
  };
  std::vector<Counter> counters_;
};

}  // namespace headroom
