#include "base/measure/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
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

namespace {

std::optional<int64_t> number_in(const char* file) {
  std::ifstream stream(file);
  int64_t value = 0;
  if (stream >> value) return value;
  return std::nullopt;  // not there, or "max"
}

// The number behind a word in a file of words and numbers; 0 where it is not.
int64_t number_behind(const char* file, std::string_view wanted) {
  std::ifstream stream(file);
  for (std::string word; stream >> word;) {
    int64_t value = 0;
    if (word == wanted && stream >> value) return value;
  }
  return 0;
}

// What the control group of this process leaves. Files that the system remembers count as used
// there, but make room when asked.
std::optional<int64_t> group_memory_bytes() {
  const auto limit = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (!limit || !used) return std::nullopt;
  const char* const stat = "/sys/fs/cgroup/memory.stat";
  const int64_t files = number_behind(stat, "active_file") + number_behind(stat, "inactive_file");
  return std::max<int64_t>(0, *limit - *used + files);
}

}  // namespace

int64_t available_memory_bytes() {
  constexpr int64_t unknown = std::numeric_limits<int64_t>::max();
  const int64_t kilobytes = number_behind("/proc/meminfo", "MemAvailable:");
  return std::min(kilobytes > 0 ? kilobytes * 1024 : unknown,
                  group_memory_bytes().value_or(unknown));
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
