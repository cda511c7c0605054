// The first part of a response on the wire: status line and header fields, up to the empty line.
#pragma once

#include <string>

#include "server/http/message.h"

namespace headroom {

std::string response_head(const HttpResponse& response, bool keep_alive);

}  // namespace headroom
