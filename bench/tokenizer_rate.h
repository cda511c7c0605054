// How fast a tokenizer encodes lines of text on one core, as a server or a training would do.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace headroom {

struct TokenizerRate {
  size_t tokens = 0;            // of one pass over the lines
  std::vector<double> seconds;  // computed in each pass, ascending

  // Of the pass at this quantile of speed: 0 the slowest, 1 the fastest.
  double tokens_per_second(double quantile) const;
};

TokenizerRate time_tokenizer(const Tokenizer& tokenizer, std::span<const std::string_view> lines,
                             int passes);

std::vector<std::string_view> split_lines(std::string_view text);

}  // namespace headroom
