#include "server/api/key.h"

#include <algorithm>

namespace headroom::server {
namespace {

bool is_bearer(std::string_view scheme) {
  constexpr std::string_view bearer = "bearer ";
  return std::equal(scheme.begin(), scheme.end(), bearer.begin(), bearer.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

}  // namespace

bool ApiKey::admits(std::string_view authorization) const {
  if (key_.empty()) return true;
  constexpr size_t scheme_length = 7;
  if (!is_bearer(authorization.substr(0, scheme_length))) return false;
  const std::string_view given = authorization.substr(scheme_length);
  // Every byte that was sent is compared with some byte of the key, the first difference kept.
  // volatile: a compiler may not notice that one difference decides.
  volatile unsigned char difference = given.size() == key_.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const auto unequal = static_cast<unsigned char>(given[i] ^ key_[i % key_.size()]);
    difference = static_cast<unsigned char>(difference | unequal);
  }
  return difference == 0;
}

}  // namespace headroom::server
