#include "experiments/fasttext_arm.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/scratch_folder.h"
#include "base/random.h"
#include "data/formats/fasttext.h"
#include "train/rows/task_texts.h"

namespace headroom::experiments {
namespace {

namespace fs = std::filesystem;

struct Choice {
  double rate;
  int epochs;
  int word_ngrams;
};
constexpr std::array<Choice, 8> choices = {{{0.1, 5, 1},
                                            {0.5, 5, 1},
                                            {0.1, 25, 2},
                                            {0.25, 10, 2},
                                            {0.5, 5, 2},
                                            {0.5, 10, 2},
                                            {1.0, 5, 2},
                                            {0.5, 5, 3}}};

bool on_path() {
  return std::system("command -v fasttext >/dev/null 2>&1") == 0;
}

// Runs a command and returns what it prints; temporary paths hold no characters the shell minds.
std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw Error(ErrorCode::runtime, "run fastText", "cannot start a shell");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Error(ErrorCode::runtime, "run fastText", fmt::format("{} failed", command));
  }
  return text;
}

// The share of rows whose label `fasttext predict` gives back: its own `test` rounds to a
// thousandth.
double accuracy_of(const std::string& model, const std::string& file, const TextDataset& rows) {
  std::istringstream answers(output_of(fmt::format("fasttext predict {}.bin {}", model, file)));
  int64_t right = 0;
  std::string answer;
  for (const TextRow& row : rows.rows) {
    if (!std::getline(answers, answer)) {
      throw Error(ErrorCode::runtime, "run fastText", "it answered fewer rows than it was given");
    }
    right += answer == fasttext_label(row.label) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(rows.rows.size());
}

void train_fasttext(const std::string& rows, const std::string& model, const Choice& choice) {
  output_of(
      fmt::format("fasttext supervised -input {} -output {} -lr {} -epoch {} -wordNgrams {} "
                  "-dim 100 -minCount 1 -thread 1 -verbose 0 2>/dev/null",
                  rows, model, choice.rate, choice.epochs, choice.word_ngrams));
}

}  // namespace

std::optional<ArmRecord> fasttext_arm(const TaskRequest& request) {
  if (!on_path()) return std::nullopt;
  TaskTexts texts = load_task_texts(request);
  if (texts.test.rows.empty()) {
    throw Error(ErrorCode::usage, "run fastText", "there are no test rows to score");
  }
  const ScratchFolder folder;
  const auto file = [&](const char* name) { return (folder.path() / name).string(); };
  const std::string train_rows = file("train.txt");
  const std::string validation_rows = file("validation.txt");
  const std::string test_rows = file("test.txt");
  // fastText takes the rows as they come, in every epoch. IMDB's come sorted by class: 54 % right.
  Random{request.split_seed}.shuffle(texts.train.rows);
  write_file_atomically(train_rows, fasttext_lines(texts.train.rows, true));
  write_file_atomically(validation_rows, fasttext_lines(texts.validation.rows, true));
  write_file_atomically(test_rows, fasttext_lines(texts.test.rows, true));

  Choice best{};
  double best_score = -1;
  for (const Choice& choice : choices) {
    train_fasttext(train_rows, file("try"), choice);
    const double score = accuracy_of(file("try"), validation_rows, texts.validation);
    if (score <= best_score) continue;
    best_score = score;
    best = choice;
  }
  const std::string model = file("best");
  train_fasttext(train_rows, model, best);
  const auto started = std::chrono::steady_clock::now();
  const double accuracy = accuracy_of(model, test_rows, texts.test);
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
  const auto bytes = static_cast<int64_t>(fs::file_size(model + ".bin"));
  ArmRecord arm;
  arm.points = {{.budget = 1,
                 .accuracy = accuracy,
                 .bytes = static_cast<double>(bytes),
                 .ms = ms / static_cast<double>(texts.test.rows.size())}};
  arm.validation = {{.budget = 1, .accuracy = best_score}};
  arm.settings = {best.rate, best.epochs, best.word_ngrams};
  return arm;
}

}  // namespace headroom::experiments
