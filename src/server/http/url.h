// A request target taken apart: "/v1/plan?model=news&budget=0.5".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

struct Url {
  std::vector<std::string> segments;         // of the path, percent-decoded: {"v1", "plan"}
  std::map<std::string, std::string> query;  // percent-decoded
};

// Also takes "http://host/path", as sent to proxies. Throws HttpErrorCode::bad_request for a
// damaged %-sequence, a zero byte, or a query key that comes twice.
Url parse_url(std::string_view target);

}  // namespace headroom
