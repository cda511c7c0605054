// Training speed of the AG News model (4 layers, width 256, 8 heads, FFN 1024, 20,000 words) at
// batch 32 and 64 tokens: samples per second of whole steps with 1 and 2 threads, peak memory, and
// how fast the input pipeline could feed it. Rounds are interleaved; medians are shown.
//   bench-training OUT-DIRECTORY [rounds]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/measure/machine.h"
#include "base/random.h"
#include "base/table.h"
#include "text/word_tokenizer.h"
#include "train/loop/adamw.h"
#include "train/loop/parameters.h"
#include "train/rows/batches.h"
#include "train/runtime.h"
#include "train/stages/losses.h"

namespace headroom {
namespace {

constexpr int64_t B = 32;
constexpr int64_t T = 64;

double seconds(const std::function<void()>& work) {
  const auto started = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size()) / 2,
                   values.end());
  return values[values.size() / 2];
}

std::string random_text(Random& random, int words, int vocabulary) {
  std::string text;
  for (int i = 0; i < words; ++i)
    text += fmt::format("word{} ", random.below(static_cast<uint64_t>(vocabulary)));
  return text;
}

struct Setting {
  ModelShape shape;
  std::vector<std::string> texts;
  Vocabulary vocabulary;
  EncodedDataset rows;
};

Setting make_setting() {
  constexpr int words = 19995;
  std::vector<std::string> tokens;
  for (int i = 0; i < words; ++i) tokens.push_back(fmt::format("word{}", i));
  Setting setting{{}, {}, Vocabulary::with_words(tokens), {}};
  Random random{1};
  for (int i = 0; i < 1024; ++i) setting.texts.push_back(random_text(random, T - 2, words));
  const WordTokenizer tokenizer(setting.vocabulary);
  for (const std::string& text : setting.texts) {
    setting.rows.append(tokenizer.encode(text, T), static_cast<int32_t>(random.below(4)));
  }
  setting.shape = {.layers = 4,
                   .width = 256,
                   .heads = 8,
                   .ffn = 1024,
                   .vocabulary = setting.vocabulary.size(),
                   .positions = T,
                   .labels = 4};
  return setting;
}

class Trainee {
 public:
  explicit Trainee(const ModelShape& shape) {
    model_.shape = shape;
    model_.dropout = 0.1;
    model_.weights = fresh_weights(shape, 1, torch::kCPU);
    parameters_ = std::make_unique<Parameters>(model_, ParameterSettings{});
  }
  void step(const Batch& batch) {
    parameters_->zero_gradients();
    task_loss(forward(model_.weights, batch, model_.training()), batch.labels, 0.0).backward();
    adamw_step(parameters_->groups(), {}, 1e-4, ++steps_);
  }
  void optimise_only() { adamw_step(parameters_->groups(), {}, 1e-4, ++steps_); }

 private:
  ElasticModel model_;
  std::unique_ptr<Parameters> parameters_;
  int64_t steps_ = 0;
};

int run(const std::filesystem::path& out, int rounds) {
  const Setting setting = make_setting();
  const WordTokenizer tokenizer(setting.vocabulary);
  Trainee trainee(setting.shape);
  const auto source = epoch_source(setting.rows, B, 1, torch::kCPU);
  std::map<int, std::vector<double>> step_times;
  std::vector<double> batch_times;
  std::vector<double> encode_times;
  std::vector<double> optimiser_times;
  int64_t step = 0;
  for (int round = -1; round < rounds; ++round) {
    for (const int threads : {1, 2}) {
      use_threads(threads);
      const double time = seconds([&] { trainee.step(source->batch(step++)); });
      if (round >= 0) step_times[threads].push_back(time);
    }
    if (round < 0) continue;
    batch_times.push_back(seconds([&] { source->batch(step); }));
    encode_times.push_back(seconds([&] {
      for (int i = 0; i < B; ++i) tokenizer.encode(setting.texts[static_cast<size_t>(i)], T);
    }));
    optimiser_times.push_back(seconds([&] { trainee.optimise_only(); }));
  }
  const auto rate = [](const std::vector<double>& times) {
    return static_cast<double>(B) / median(times);
  };
  const double memory = static_cast<double>(peak_memory_bytes()) / (1 << 20);
  Json json = {{"date", today()},
               {"machine", describe_runtime(torch::kCPU)},
               {"rounds", rounds},
               {"batch", B},
               {"tokens", T},
               {"seed", 1},
               {"samples_per_second", {{"1", rate(step_times[1])}, {"2", rate(step_times[2])}}},
               {"batches_per_second", 1.0 / median(batch_times)},
               {"tokenised_samples_per_second", rate(encode_times)},
               {"adamw_ms", 1e3 * median(optimiser_times)},
               {"peak_memory_mib", memory}};
  json["machine"].erase("threads");
  const Table table{
      {"what", "value"},
      {{"training, 1 thread", fmt::format("{:.0f} samples/s", rate(step_times[1]))},
       {"training, 2 threads", fmt::format("{:.0f} samples/s", rate(step_times[2]))},
       {"peak memory of the process", fmt::format("{:.0f} MiB", memory)},
       {"batch assembly (shuffle, pad), 1 thread",
        fmt::format("{:.0f} samples/s", rate(batch_times))},
       {"tokenising words, 1 thread", fmt::format("{:.0f} samples/s", rate(encode_times))},
       {"AdamW, 2 threads", fmt::format("{:.1f} ms", 1e3 * median(optimiser_times))}}};
  std::filesystem::create_directories(out);
  write_file_atomically(out / "results.json", json.dump(1) + "\n");
  write_file_atomically(
      out / "README.md",
      fmt::format(
          "# Training speed\n\nMade by `make bench-training` on {} ({}), torch {}. Whole steps "
          "(forward, backward, clipping, AdamW) of the AG News model: 4 layers, width 256, 8 "
          "heads, "
          "FFN 1024, 20,000 words; batch {}, {} tokens; medians of {} interleaved rounds.\n\n{}\n"
          "The input pipeline must not be slower than the model: rows are tokenised once, "
          "before training, and batches are assembled as they are needed.\n",
          cpu_name(), today(), json["machine"]["torch"].get<std::string>(), B, T, rounds,
          markdown(table)));
  fmt::print("{}", aligned_text(table));
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench-training OUT-DIRECTORY [rounds]\n");
    return 2;
  }
  return headroom::run(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : 21);
}
