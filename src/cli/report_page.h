// What both programs' `report` share: writing the page, and chapters as JSON from one to the other.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "report/html_page.h"

namespace headroom {

// Writes the page atomically and tells about it.
void write_report(const std::string& out, const std::vector<report::Chapter>& chapters,
                  const std::string& command, bool json);

// "FILE: 12 kB", or a JSON line with `out`, `bytes` and `chapters`.
void tell_report(const std::string& out, size_t bytes, const Json& chapters, bool json);

Json to_json(const std::vector<report::Chapter>& chapters);
// Throws ErrorCode::bad_data naming `origin`.
std::vector<report::Chapter> parse_chapters(const Json& chapters, const std::string& origin);

}  // namespace headroom
