// Which names clients may call this server by. A page of a stranger can let a name of its own point
// to 127.0.0.1 (DNS rebinding); the browser then takes our answers for that page's, but says in
// Host whom it believes to ask.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headroom {

// For a server that listens on `host`: on loopback its own names, `host` and `more`; elsewhere,
// where names are the network's business, any (an empty list) unless there are `more`.
std::vector<std::string> allowed_hosts(const std::string& host,
                                       const std::vector<std::string>& more);

// Whether a Host field ("localhost:8080", "[::1]") is among `allowed`, whatever its port.
bool is_allowed_host(std::string_view field, const std::vector<std::string>& allowed);

// "host:80" of the target "http://host:80/path"; empty: the target names none.
std::string_view authority_of(std::string_view target);

}  // namespace headroom
