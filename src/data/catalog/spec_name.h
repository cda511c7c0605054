// What a data SPEC is called in results that others see.
#pragma once

#include <string>
#include <string_view>

namespace headroom {

// The SPEC with file names but without the folders they lie in, which are nobody else's business:
// "csv:/home/me/rows.csv?label=2" is "csv:rows.csv?label=2". Throws ErrorCode::usage as
// parse_data_spec does.
std::string data_name(std::string_view spec);

}  // namespace headroom
