#include "fasttext.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.h"
#include "base/files/file.h"
#include "base/random.h"
#include "data/formats/fasttext.h"

namespace headroom {
void run_command(const std::string& command) {
  if (std::system(command.c_str()) == 0) return;
  throw Error(ErrorCode::runtime, "run a contestant", command + " failed");
}

bool FastText::installed() {
  return std::system("command -v fasttext >/dev/null 2>&1") == 0;
}

FastText::FastText(const TextDataset& train, uint64_t seed, int threads) {
  std::vector<TextRow> rows = train.rows;
  Random{seed}.shuffle(rows);
  write_file_atomically(path("train"), fasttext_lines(rows, true));
  run_command(
      fmt::format("fasttext supervised -input {} -output {} {} -thread {} -verbose 0 "
                  ">/dev/null 2>&1",
                  path("train"), path("model"), settings, threads));
}

std::string FastText::write_texts(const char* name, std::span<const TextRow> rows,
                                  int copies) const {
  std::string lines;
  for (int copy = 0; copy < copies; ++copy) lines += fasttext_lines(rows, false);
  write_file_atomically(path(name), lines);
  return path(name);
}

void FastText::predict(const std::string& file) const {
  run_command(fmt::format("fasttext predict {}.bin {} >{}", path("model"), file, path("answers")));
}

std::string FastText::answers() const {
  return read_file(path("answers"), ErrorCode::runtime);
}

}  // namespace headroom
