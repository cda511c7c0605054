// docs/results/README.md: every published claim beside what our stored results say about it.
#pragma once

#include <filesystem>
#include <string>

namespace headroom {

// Markdown. `results` is a folder of results folders; a claim that none of them speaks about is
// "not run". Throws ErrorCode::bad_data when a folder is damaged.
std::string claims_page(const std::filesystem::path& results);

}  // namespace headroom
