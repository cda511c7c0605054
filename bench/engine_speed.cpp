// Speed of the engine: matrix products against the measured peak of a core and whole forward passes
// at several budgets, lengths and precisions, on one thread; then a mixed batch on one and two.
// Medians of interleaved rounds.
//   bench-engine [--model DIR] [--rounds N]
//   bench-engine [--model DIR] --parts PASSES [--json FILE]
// The second says instead where a fast and an ordinary pass spend their time, and the least it
// could take. Without a model: random weights in the shape of BERT-Mini (4 layers, width 256, 8
// heads, FFN 1024, 16,000 words). OMP_NUM_THREADS=1 adds oneDNN's product. HEADROOM_ISA chooses
// instructions.
#include <fmt/format.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "base/measure/interleaved.h"
#include "base/measure/machine.h"
#include "base/random.h"
#include "base/table.h"
#include "budget/cost.h"
#include "engine/session.h"
#include "engine_gemm.h"
#include "engine_parts.h"
#include "engine_random.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point started) {
  return std::chrono::duration<double, std::milli>(Clock::now() - started).count();
}

// Time this thread really ran: on a shared machine the only one that can be compared.
double thread_milliseconds() {
  struct timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Load {
  int64_t batch;
  int64_t tokens;
};

class Measurement {
 public:
  Measurement(std::shared_ptr<const EngineModel> model, Load load, double budget)
      : worker_(std::move(model)),
        load_(load),
        budget_(budget),
        plan_(worker_.model().plan(budget)) {
    Random random{1};
    const ModelShape& shape = worker_.model().config().shape;
    for (int64_t i = 0; i < load.batch; ++i) {
      sequences_.push_back({random_ids(random, shape, load.tokens)});
    }
    logits_.resize(static_cast<size_t>(load.batch * shape.labels));
  }

  void run() {
    const auto started = Clock::now();
    const double ran = thread_milliseconds();
    worker_.outputs(sequences_, plan_, logits_);
    cpu_times_.push_back(thread_milliseconds() - ran);
    times_.push_back(milliseconds_since(started));
  }
  void forget() {
    times_.clear();
    cpu_times_.clear();
  }

  // Work really asked for: the whole model's MACs count rows behind the last attention that are
  // never computed, so the rate can exceed the peak of the products.
  std::vector<std::string> row() const {
    const EngineModel& model = worker_.model();
    const Selection selection = model.config().selection(budget_);
    const double flops = 2.0 * static_cast<double>(load_.batch) *
                         cost_of(model.config().shape, selection, load_.tokens).model_macs;
    const double ms = quantile(cpu_times_, 0.5);
    return {std::string(precision_table.name(model.weights().precision)),
            fmt::format("({}, {})", load_.batch, load_.tokens),
            fmt::format("{}", budget_),
            fmt::format("{:.3f}", ms),
            fmt::format("{:.3f}", quantile(times_, 0.5)),
            fmt::format("{:.3f}", quantile(times_, 0.1)),
            fmt::format("{:.3f}", quantile(times_, 0.9)),
            fmt::format("{:.0f}", flops / ms * 1e-6)};
  }

 private:
  Worker worker_;
  Load load_;
  double budget_;
  Plan plan_;
  std::vector<Tokens> sequences_;
  std::vector<float> logits_;
  std::vector<double> times_;
  std::vector<double> cpu_times_;
};

std::vector<GemmShape> shapes_of(const ModelShape& shape) {
  std::vector<GemmShape> shapes;
  for (const int64_t rows : {1, 32, 128}) {
    shapes.push_back({rows, shape.width, 3 * shape.width});
    shapes.push_back({rows, shape.width, shape.width});
    shapes.push_back({rows, shape.width, shape.ffn});
    shapes.push_back({rows, shape.ffn, shape.width});
  }
  return shapes;
}

Table measure_forward(const std::vector<std::shared_ptr<const EngineModel>>& models, int rounds) {
  std::vector<Measurement> all;
  for (const auto& model : models) {
    for (const Load load : {Load{1, 32}, Load{1, 128}, Load{32, 128}}) {
      for (const double budget : {1.0, 0.75, 0.5, 0.25, 0.125}) {
        if (budget == 1.0 || model->config().ordered()) {
          all.emplace_back(model, load, budget);
        }
      }
    }
  }
  for (Measurement& each : all) each.run();
  for (Measurement& each : all) each.forget();
  for (int round = 0; round < rounds; ++round) {
    for (Measurement& each : all) each.run();
  }
  Table table{
      {"precision", "(batch, tokens)", "budget", "CPU ms", "wall ms", "p10", "p90", "GFLOP/s"}, {}};
  for (const Measurement& each : all) table.rows.push_back(each.row());
  return table;
}

// A batch of mixed lengths over one and two workers, texts per second.
Table measure_threads(const std::vector<std::shared_ptr<const EngineModel>>& models, int rounds) {
  Random random{2};
  std::vector<Tokens> inputs(64);
  for (Tokens& input : inputs) input.ids.assign(16 + random.below(97), 1);
  Table table{{"precision", "1 thread", "2 threads", "ratio"}, {}};
  for (const auto& model : models) {
    Session one(model, 1);
    Session two(model, 2);
    std::vector<double> times[2];
    for (int round = -1; round < rounds; ++round) {
      for (Session* session : {&one, &two}) {
        const auto started = Clock::now();
        session->run(inputs, Budget{});
        if (round >= 0) times[session == &two ? 1 : 0].push_back(milliseconds_since(started));
      }
    }
    const auto rate = [&](size_t i) {
      return 1e3 * static_cast<double>(inputs.size()) / quantile(times[i], 0.5);
    };
    table.rows.push_back({std::string(precision_table.name(model->weights().precision)),
                          fmt::format("{:.0f} texts/s", rate(0)),
                          fmt::format("{:.0f} texts/s", rate(1)),
                          fmt::format("{:.2f}", rate(1) / rate(0))});
  }
  return table;
}

int run_parts(const std::filesystem::path& directory, int passes,
              const std::filesystem::path& file) {
  Json lines = Json::array();
  for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
    const auto model = EngineModel::load(directory, {precision, {}});
    for (const int64_t tokens : {32, 128}) {
      const std::vector<double> quantiles = {0.05, 0.5};
      std::vector<PartsOfPass> found = measure_parts(*model, tokens, passes, quantiles);
      for (size_t i = 0; i < found.size(); ++i) {
        fmt::print("{}, {} tokens, kernels {}, passes around the {:.0f} % quantile of {}\n{}\n",
                   precision_table.name(precision), tokens, isa_name(model->kernels().isa),
                   100 * quantiles[i], passes, aligned_text(found[i].table));
        Json& line = lines.emplace_back(std::move(found[i].json));
        line["machine"] = cpu_name();
        line["date"] = today();
        line["isa"] = isa_name(model->kernels().isa);
        line["precision"] = precision_table.name(precision);
        line["tokens"] = tokens;
        line["passes"] = passes;
        line["quantile"] = quantiles[i];
      }
    }
  }
  if (!file.empty()) write_file_atomically(file, lines.dump(1) + "\n");
  return 0;
}

int run(const std::filesystem::path& directory, int rounds) {
  std::vector<std::shared_ptr<const EngineModel>> models;
  for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
    const auto started = Clock::now();
    models.push_back(EngineModel::load(directory, {precision, {}}));
    fmt::print("{}: loaded in {:.0f} ms\n", precision_table.name(precision),
               milliseconds_since(started));
  }
  const Kernels& kernels = models[0]->kernels();
  fmt::print("{}, {}, kernels {}, one thread, medians of {} interleaved rounds\n\n", cpu_name(),
             today(), isa_name(kernels.isa), rounds);
  fmt::print("matrix products, GFLOP/s (share of the peak)\n{}\n",
             aligned_text(measure_products(kernels, shapes_of(models[0]->config().shape), rounds)));
  fmt::print("forward passes\n{}\n", aligned_text(measure_forward(models, rounds)));
  fmt::print("64 texts of 16 to 112 tokens, budget 1\n{}\n",
             aligned_text(measure_threads(models, rounds)));
  fmt::print("peak memory of the process: {} MiB\n", peak_memory_bytes() >> 20);
  return 0;
}

// `work` with a checkpoint of random weights.
int run_random(const std::function<int(const std::filesystem::path&)>& work) {
  std::string folder = (std::filesystem::temp_directory_path() / "headroom-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    throw Error(ErrorCode::runtime, "bench", "cannot create " + folder);
  }
  ModelShape shape;
  shape.vocabulary = 16000;
  shape.labels = 4;
  write_random_checkpoint(std::filesystem::path(folder) / "model", shape);
  const int status = work(std::filesystem::path(folder) / "model");
  remove_tree(folder);
  return status;
}

int main_of(const std::vector<std::string>& arguments) {
  std::string model;
  int rounds = 21;
  int passes = 0;
  std::string json;
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--model") model = arguments[i + 1];
    if (arguments[i] == "--rounds") rounds = std::max(1, std::atoi(arguments[i + 1].c_str()));
    if (arguments[i] == "--json") json = arguments[i + 1];
    if (arguments[i] == "--parts") passes = std::max(1, std::atoi(arguments[i + 1].c_str()));
  }
  const auto work = [&](const std::filesystem::path& directory) {
    return passes > 0 ? run_parts(directory, passes, json) : run(directory, rounds);
  };
  return model.empty() ? run_random(work) : work(model);
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  try {
    return headroom::main_of({argv + 1, argv + argc});
  } catch (const headroom::Error& error) {
    fmt::print(stderr, "bench-engine: {}\n", error.what());
    return headroom::exit_code(error.code());
  }
}
