// Files that are part of the program. src/server/embed.cmake makes the source file behind this from
// page/index.html and openapi.json.
#pragma once

#include <string_view>

namespace headroom::server {

std::string_view page_html();
std::string_view openapi_json();

}  // namespace headroom::server
