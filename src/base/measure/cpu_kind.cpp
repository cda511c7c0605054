#include "base/measure/cpu_kind.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/join.h"

namespace headroom {
namespace {

struct Line {
  std::string key, value;
};

Line split_line(const std::string& line) {
  const size_t colon = line.find(':');
  if (colon == std::string::npos) return {};
  const auto trimmed = [](std::string text) {
    constexpr const char* blanks = " \t";
    text.erase(0, std::min(text.find_first_not_of(blanks), text.size()));
    text.erase(text.find_last_not_of(blanks) + 1);
    return text;
  };
  return {trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1))};
}

// The instructions that our kernels are written for.
std::vector<std::string> known_instructions(const std::string& flags) {
  constexpr std::string_view known[] = {
      "avx2",     "fma",      "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile",
      "amx_int8", "amx_bf16", "asimd",    "asimddp", "i8mm",        "bf16",        "sve"};
  std::vector<std::string> found;
  std::istringstream words(flags);
  for (std::string word; words >> word;) {
    if (std::find(std::begin(known), std::end(known), word) != std::end(known)) {
      found.push_back(word);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::string cpu_kind_in(std::istream& cpuinfo) {
  // As Linux calls them on x86, ARM and RISC-V.
  constexpr struct {
    std::string_view key, name;
  } numbers[] = {{"cpu family", "family"},
                 {"model", "model"},
                 {"CPU implementer", "maker"},
                 {"CPU part", "part"},
                 {"isa", "isa"}};
  std::vector<std::string> parts;
  std::vector<std::string> instructions;
  for (std::string text; std::getline(cpuinfo, text) && !text.empty();) {  // then the next CPU
    const Line line = split_line(text);
    for (const auto& [key, name] : numbers) {
      if (line.key == key) parts.push_back(std::string(name) + " " + line.value);
    }
    if (line.key == "flags" || line.key == "Features") {
      instructions = known_instructions(line.value);
    }
  }
  const std::string model = join(parts, ", ");
  return instructions.empty() ? model : model + ": " + join(instructions, " ");
}

std::string cpu_kind() {
  std::ifstream file("/proc/cpuinfo");
  return cpu_kind_in(file);
}

}  // namespace headroom
