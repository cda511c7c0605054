// Whose request it is, of the address that it comes from.
#pragma once

#include <string>

namespace headroom {

// HttpHead::client of an address in digits: IPv4 as it is, also where it is written as IPv6; of
// IPv6 the network (/64), because one client has all of that. Empty: it is no address.
std::string client_of_address(const std::string& address);

}  // namespace headroom
