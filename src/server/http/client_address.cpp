#include "server/http/client_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace headroom {

std::string client_of_address(const std::string& address) {
  in_addr v4{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return address;
  in6_addr v6{};
  if (inet_pton(AF_INET6, address.substr(0, address.find('%')).c_str(), &v6) != 1) return {};
  std::array<char, INET6_ADDRSTRLEN> text;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    return inet_ntop(AF_INET, &v6.s6_addr[12], text.data(), text.size());
  }
  if (IN6_IS_ADDR_LOOPBACK(&v6)) return "::1";
  std::fill(v6.s6_addr + 8, v6.s6_addr + 16, 0);
  return std::string(inet_ntop(AF_INET6, &v6, text.data(), text.size())) + "/64";
}

}  // namespace headroom
