// One text on several threads beside one: models of random weights in the shapes people run, every
// number of threads in every round, and as many texts at once, a thread each: what the machine has
// to give. One JSON line a cell: the median and the least time, and how much faster than on one
// thread, as the median over rounds and between the least times, which other load disturbs least.
//   bench-text-threads [--rounds N] [--threads 1,2] [--width W] [--tokens T]
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "base/measure/interleaved.h"
#include "base/measure/machine.h"
#include "bench_program.h"
#include "engine/session.h"
#include "engine_random.h"

namespace headroom {
namespace {

struct Shape {
  int64_t layers;
  int64_t width;
  int64_t heads;
  std::vector<int64_t> tokens;
};

void measure(const std::shared_ptr<const EngineModel>& model, int64_t tokens,
             const std::vector<int>& threads, int rounds) {
  const ModelShape& shape = model->config().shape;
  Random random{1};
  const Tokens text{random_ids(random, shape, tokens)};
  const std::vector<Tokens> texts(static_cast<size_t>(*std::ranges::max_element(threads)), text);
  std::deque<Session> sessions;
  std::vector<std::function<void()>> runs;
  for (const int count : threads) {
    Session& session = sessions.emplace_back(model, count);
    runs.emplace_back([&session, &text] { session.run(std::span(&text, 1), Budget{}); });
  }
  for (size_t i = 0; i < threads.size(); ++i) {
    runs.emplace_back([&session = sessions[i], all = std::span(texts).first(static_cast<size_t>(
                                                   threads[i]))] { session.run(all, Budget{}); });
  }
  const auto times = time_interleaved(runs, 3, rounds, 1);
  const auto least = [](const std::vector<double>& ms) { return *std::ranges::min_element(ms); };
  const auto texts_at_once = std::span(times).subspan(threads.size());
  for (size_t i = 0; i < threads.size(); ++i) {
    const Json cell = {{"machine", cpu_name()},
                       {"date", today()},
                       {"isa", std::string(isa_name(model->kernels().isa))},
                       {"precision", std::string(precision_table.name(model->weights().precision))},
                       {"layers", shape.layers},
                       {"width", shape.width},
                       {"tokens", tokens},
                       {"threads", threads[i]},
                       {"rounds", rounds},
                       {"median_ms", quantile(times[i], 0.5)},
                       {"least_ms", least(times[i])},
                       {"speedup_median", median_ratio(times[0], times[i])},
                       {"speedup_of_least", least(times[0]) / least(times[i])},
                       {"texts_at_once", threads[i] * median_ratio(times[0], texts_at_once[i])}};
    fmt::print("{}\n", cell.dump());
  }
}

int main_of(const std::vector<std::string>& arguments) {
  int rounds = 51;
  int64_t width = 0;
  int64_t tokens = 0;
  std::vector<int> threads = {1, 2};
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--rounds") rounds = std::max(1, std::atoi(arguments[i + 1].c_str()));
    if (arguments[i] == "--tokens") tokens = std::atoll(arguments[i + 1].c_str());
    if (arguments[i] == "--width") width = std::atoll(arguments[i + 1].c_str());
    if (arguments[i] != "--threads") continue;
    threads.clear();
    for (size_t at = 0; at < arguments[i + 1].size(); ++at) {
      const char digit = arguments[i + 1][at];
      if (digit >= '1' && digit <= '9') threads.push_back(digit - '0');
    }
  }
  std::string folder = (std::filesystem::temp_directory_path() / "headroom-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    throw Error(ErrorCode::runtime, "bench", "cannot create " + folder);
  }
  const std::vector<Shape> shapes = {
      {4, 256, 8, {32, 64, 128}}, {6, 384, 12, {32, 64, 128, 256, 512}}, {12, 768, 12, {128}}};
  for (const Shape& wanted : shapes) {
    if (width != 0 && wanted.width != width) continue;
    ModelShape shape;
    shape.layers = wanted.layers;
    shape.width = wanted.width;
    shape.heads = wanted.heads;
    shape.ffn = 4 * wanted.width;
    shape.vocabulary = 1000;
    shape.positions = 512;
    shape.labels = 4;
    const auto directory = std::filesystem::path(folder) / std::to_string(wanted.width);
    write_random_checkpoint(directory, shape);
    for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
      const auto model = EngineModel::load(directory, {precision, {}});
      for (const int64_t each : wanted.tokens) {
        if (tokens == 0 || each == tokens) measure(model, each, threads, rounds);
      }
    }
  }
  remove_tree(folder);
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  return headroom::run_program("bench-text-threads", [&] {
    return headroom::main_of({argv + 1, argv + argc});
  });
}
