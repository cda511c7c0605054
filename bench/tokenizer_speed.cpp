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

namespace headroom {
namespace {

constexpr int max_tokens = 512;  // BERT's longest input
constexpr int32_t trained_size = 16000;

double seconds(const std::function<void()>& work) {
  const auto started = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
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
  const std::unique_ptr<Tokenizer> tokenizer = open_tokenizer(file);
  size_t tokens = 0;
  std::vector<double> times;
  for (int pass = -1; pass < passes; ++pass) {  // the first one warms up
    tokens = 0;
    const double time = seconds([&] {
      for (const std::string_view line : lines)
        tokens += tokenizer->encode(line, max_tokens).size();
    });
    if (pass >= 0) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  const auto row = [&](std::string name, double time) -> std::vector<std::string> {
    return {std::move(name), fmt::format("{:.2f}", static_cast<double>(tokens) / time / 1e6),
            fmt::format("{:.1f}", static_cast<double>(bytes) / time / 1e6)};
  };
  fmt::print("{}, {}: {} lines, {} tokens, {} passes, 1 thread\n{}", cpu_name(), today(),
             lines.size(), tokens, passes,
             aligned_text({{"pass", "million tokens/s", "MB/s"},
                           {row("median", times[times.size() / 2]), row("slowest", times.back()),
                            row("fastest", times.front())}}));
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
