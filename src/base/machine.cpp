#include "base/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <thread>

namespace headroom {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  struct utsname system = {};
  return uname(&system) == 0 ? system.machine : "unknown";
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

int64_t peak_memory_bytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<int64_t>(usage.ru_maxrss) * 1024;
}

int64_t resident_memory_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total_pages = 0;
  int64_t resident_pages = 0;
  file >> total_pages >> resident_pages;
  return file ? resident_pages * sysconf(_SC_PAGE_SIZE) : 0;
}

Json describe_machine() {
  struct utsname system = {};
  uname(&system);
  const double bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  Json machine;
  machine["cpu"] = cpu_name();
  machine["cores"] = std::thread::hardware_concurrency();
  machine["memory_gib"] = std::round(bytes / (1 << 30) * 10) / 10;
  machine["system"] = fmt::format("{} {}", system.sysname, system.machine);
  return machine;
}

}  // namespace headroom
