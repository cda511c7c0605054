#include "server/http/host.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cctype>

namespace headroom {
namespace {

// Without the port, in lower case and without the dot that ends a complete name.
std::string bare_name(std::string_view field) {
  const size_t bracket = field.starts_with('[') ? field.find(']') : 0;
  const size_t colon = field.find(':', bracket == std::string_view::npos ? 0 : bracket);
  std::string name(field.substr(0, colon));
  if (name.ends_with('.')) name.pop_back();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

bool is_loopback(const std::string& host) {
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return bare_name(host) == "localhost";
}

}  // namespace

std::vector<std::string> allowed_hosts(const std::string& host,
                                       const std::vector<std::string>& more) {
  if (!is_loopback(host) && more.empty()) return {};
  std::vector<std::string> names = {"localhost", "127.0.0.1", "[::1]"};
  names.push_back(host.find(':') == std::string::npos ? bare_name(host) : "[" + host + "]");
  for (const std::string& name : more) names.push_back(bare_name(name));
  return names;
}

bool is_allowed_host(std::string_view field, const std::vector<std::string>& allowed) {
  return allowed.empty() ||
         std::find(allowed.begin(), allowed.end(), bare_name(field)) != allowed.end();
}

std::string_view authority_of(std::string_view target) {
  constexpr std::string_view scheme = "http://";
  if (!target.starts_with(scheme)) return {};
  target.remove_prefix(scheme.size());
  return target.substr(0, target.find_first_of("/?"));
}

}  // namespace headroom
