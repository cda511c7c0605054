#include "tokenizer_rate.h"

#include <algorithm>

#include "base/measure/interleaved.h"
#include "cpu_time.h"

namespace headroom {

constexpr int max_tokens = 512;  // BERT's longest input

double TokenizerRate::tokens_per_second(double q) const {
  return static_cast<double>(tokens) / quantile(seconds, 1 - q);
}

TokenizerRate time_tokenizer(const Tokenizer& tokenizer, std::span<const std::string_view> lines,
                             int passes) {
  TokenizerRate rate;
  for (int pass = -1; pass < passes; ++pass) {  // the first one warms up
    rate.tokens = 0;
    const double started = thread_cpu_ms();
    for (const std::string_view line : lines) {
      rate.tokens += tokenizer.encode(line, max_tokens).size();
    }
    if (pass >= 0) rate.seconds.push_back((thread_cpu_ms() - started) / 1e3);
  }
  std::sort(rate.seconds.begin(), rate.seconds.end());
  return rate;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace headroom
