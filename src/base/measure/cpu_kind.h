// What tells CPUs of one name apart: "AMD EPYC" may be Zen 4 or Zen 5, and a hypervisor may hide
// AMX.
#pragma once

#include <iosfwd>
#include <string>

namespace headroom {

// Of this machine: "family 6, model 143: avx2 avx512f ... amx_int8". Empty where the system does
// not say.
std::string cpu_kind();

// The same of a /proc/cpuinfo, of which the first CPU counts.
std::string cpu_kind_in(std::istream& cpuinfo);

// Whether a measurement on a CPU of kind `stored` holds here. Files did not always store one: then
// the name alone has to do.
inline bool same_cpu_kind(const std::string& stored, const std::string& here) {
  return stored.empty() || here.empty() || stored == here;
}

}  // namespace headroom
