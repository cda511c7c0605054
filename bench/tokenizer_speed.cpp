// Speed of a tokenizer on one core: every line of a text file is encoded, as a server or a training
// would do; the median, slowest and fastest pass are shown. With a vocab.txt the tokenizer is
// WordPiece, and a vocabulary is trained on the same file, once; or it is that of a tokenizer.json.
//   bench-tokenizer FILE VOCAB|TOKENIZER_JSON [passes]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/measure/machine.h"
#include "base/table.h"
#include "text/pipeline/read_tokenizer.h"
#include "text/wordpiece/wordpiece_tokenizer.h"
#include "text/wordpiece/wordpiece_trainer.h"
#include "tokenizer_rate.h"

namespace headroom {
namespace {

constexpr int32_t trained_size = 16000;

double seconds(const std::function<void()>& work) {
  const auto started = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

void measure_training(const std::vector<std::string_view>& lines) {
  WordPieceTrainer trainer;
  const double counting = seconds([&] {
    for (const std::string_view line : lines) trainer.add(line);
  });
  int32_t size = 0;
  const double merging = seconds([&] { size = trainer.train(trained_size).size(); });
  fmt::print("training: {:.2f} s to count words, {:.2f} s to merge them to {} pieces\n", counting,
             merging, size);
}

bool is_tokenizer_json(const std::filesystem::path& file) {
  return file.extension() == ".json";
}

std::unique_ptr<Tokenizer> open_tokenizer(const std::filesystem::path& file) {
  const std::string text = read_file(file, ErrorCode::bad_model);
  if (is_tokenizer_json(file)) return read_tokenizer({text, ""});
  return std::make_unique<WordPieceTokenizer>(Vocabulary::from_text(text, file.string()));
}

void measure_encoding(const std::vector<std::string_view>& lines, size_t bytes,
                      const std::filesystem::path& file, int passes) {
  const TokenizerRate rate = time_tokenizer(*open_tokenizer(file), lines, passes);
  const auto row = [&](std::string name, double quantile) -> std::vector<std::string> {
    const double tokens = rate.tokens_per_second(quantile);
    const double per_token = static_cast<double>(bytes) / static_cast<double>(rate.tokens);
    return {std::move(name), fmt::format("{:.2f}", tokens / 1e6),
            fmt::format("{:.1f}", tokens * per_token / 1e6)};
  };
  fmt::print("{}, {}: {} lines, {} tokens, {} passes, 1 thread\n{}", cpu_name(), today(),
             lines.size(), rate.tokens, passes,
             aligned_text({{"pass", "million tokens/s", "MB/s"},
                           {row("median", 0.5), row("slowest", 0), row("fastest", 1)}}));
}

int run(const std::filesystem::path& text_file, const std::filesystem::path& vocabulary,
        int passes) {
  const std::string text = read_file(text_file, ErrorCode::bad_data);
  const std::vector<std::string_view> lines = split_lines(text);
  measure_encoding(lines, text.size(), vocabulary, passes);
  if (!is_tokenizer_json(vocabulary)) measure_training(lines);
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: bench-tokenizer FILE VOCAB|TOKENIZER_JSON [passes]\n");
    return 2;
  }
  return headroom::run(argv[1], argv[2], argc > 3 ? std::max(1, std::atoi(argv[3])) : 21);
}
