// Versions of the engine in turns in one process, one thread: what a change gains on a machine
// whose speed changes from second to second. One version twice differs by half a percent (once, of
// nine cells, by two), where runs of whole programs in turns differ by several.
//   bench-versions MODEL ROUNDS CONTESTANT.so CONTESTANT.so ...
// Contestants are made by scripts/compare-engine from version_contestant.cpp; each comes with a
// library of its own and is loaded into a namespace of its own.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/measure/interleaved.h"
#include "base/random.h"
#include "base/table.h"
#include "bench_program.h"
#include "version_contestant.h"

namespace headroom {
namespace {

struct Load {
  int texts;
  int tokens;
  int share;  // of the rounds: one in so many
};
constexpr Load loads[] = {{1, 32, 1}, {1, 128, 2}, {32, 128, 32}};
constexpr const char* precisions[] = {"fp32", "bf16", "int8"};
// Above special tokens; a model must know 3,000 words.
constexpr int32_t first_word = 1000;
constexpr int32_t words = 2000;

struct Version {
  std::string name;
  LoadContestant* load;
  RunContestant* run;
};

Version open_version(const std::string& file) {
  void* library = dlmopen(LM_ID_NEWLM, file.c_str(), RTLD_NOW);
  const auto find = [&](const char* name) {
    void* function = library != nullptr ? dlsym(library, name) : nullptr;
    if (function == nullptr) throw Error(ErrorCode::runtime, "load a version", dlerror());
    return function;
  };
  return {file, reinterpret_cast<LoadContestant*>(find("load_contestant")),
          reinterpret_cast<RunContestant*>(find("run_contestant"))};
}

std::vector<int32_t> random_ids(const Load& load) {
  Random random{1};
  std::vector<int32_t> ids(static_cast<size_t>(load.texts) * static_cast<size_t>(load.tokens));
  for (int32_t& id : ids) id = first_word + static_cast<int32_t>(words * random.uniform());
  return ids;
}

void compare(const std::vector<Version>& versions, const char* model, int precision,
             int most_rounds, Table& table) {
  std::vector<void*> models;
  models.reserve(versions.size());
  for (const Version& version : versions) models.push_back(version.load(model, precision));
  for (const Load& load : loads) {
    if (most_rounds < load.share) continue;  // a large model's batches take minutes
    const std::vector<int32_t> ids = random_ids(load);
    std::vector<std::function<void()>> contestants;
    for (size_t i = 0; i < versions.size(); ++i) {
      contestants.emplace_back(
          [&, i] { versions[i].run(models[i], ids.data(), load.texts, load.tokens); });
    }
    const int rounds = std::max(9, most_rounds / load.share);
    const auto times = time_interleaved(contestants, 2, rounds, 1);
    for (size_t i = 0; i < versions.size(); ++i) {
      table.rows.push_back({precisions[precision], fmt::format("({}, {})", load.texts, load.tokens),
                            versions[i].name, fmt::format("{:.3f}", quantile(times[i], 0.1)),
                            fmt::format("{:.3f}", quantile(times[i], 0.5)),
                            fmt::format("{:.3f}", median_ratio(times[i], times[0]))});
    }
  }
}

int run(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: bench-versions MODEL ROUNDS CONTESTANT.so...\n");
    return 2;
  }
  std::vector<Version> versions;
  for (int i = 3; i < argc; ++i) versions.push_back(open_version(argv[i]));
  Table table{{"precision", "texts, tokens", "version", "p10 ms", "median ms", "over the first"},
              {}};
  for (const int precision : {0, 1, 2}) {
    compare(versions, argv[1], precision, std::atoi(argv[2]), table);
  }
  fmt::print("{}", aligned_text(table));
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  return headroom::run_program("bench-versions", [&] { return headroom::run(argc, argv); });
}
