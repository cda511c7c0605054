// docs/results/README.md, a matrix of verdicts, claims/NN.md, a page for each published claim, and
// verdicts.md, what they were before.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headroom::experiments {

struct ClaimPage {
  std::string file;  // relative to the matrix: "claims/07.md"
  std::string text;
};

struct ClaimPages {
  std::string matrix;
  std::vector<ClaimPage> claims;
};

// Markdown. `results` is a folder of results folders; a claim that none of them speaks about is
// "not run". Throws ErrorCode::bad_data when a folder is damaged.
ClaimPages claim_pages(const std::filesystem::path& results);

}  // namespace headroom::experiments
