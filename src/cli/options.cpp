#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/join.h"
#include "base/precision.h"
#include "budget/fraction.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/least_budget.h"

namespace headroom {

std::string choice_type(const std::vector<std::string_view>& names) {
  return "TEXT:{" + join(names, ",") + "}";
}

void group_options(CLI::App& app, const char* group, std::initializer_list<const char*> names) {
  for (const char* name : names) app.get_option(name)->group(group);
}

std::string default_data_dir() {
  return "data";
}

void add_data_dir(CLI::App& app, std::string& value) {
  app.add_option("--data-dir", value, "where known data sets lie, also HEADROOM_DATA");
}

void add_threads(CLI::App& app, int& value, const char* meaning) {
  app.add_option("--threads", value, meaning)->check(CLI::Range(0, 1024));
}

void add_device(CLI::App& app, std::string& value) {
  app.add_option("--device", value, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
}

void add_engine(CLI::App& app, std::string& engine) {
  app.add_option_function<std::string>(
         "--engine", [&engine](const std::string& name) { engine = name; },
         "native, or torch (fp32; the only one for cuda)")
      ->check(CLI::IsMember({"native", "torch"}))
      ->default_str("native");
}

void add_precision(CLI::App& app, std::optional<Precision>& precision) {
  app.add_option_function<std::string>(
         "--precision",
         [&precision](const std::string& name) {
           precision = name == "auto" ? std::nullopt : std::optional(precision_table.parse(name));
         },
         "of products; auto: the fastest on this machine whose answers are like fp32's, as "
         "calibrate found, and fp32 where it was not run")
      ->default_str("auto")
      ->type_name(choice_type({"auto", "fp32", "bf16", "int8"}));
}

void add_packed_cache(CLI::App& app, std::filesystem::path& folder) {
  app.add_option("--packed-cache", folder,
                 "a folder that only you can write to: packed weights are kept there, for later "
                 "processes to start sooner and to share their memory; empty: none are");
}

CLI::Option* add_attention(CLI::App& app, std::string& value) {
  return app.add_option("--attention", value, "kind of attention (docs/attention.md)")
      ->type_name(choice_type(attention_table));
}

AttentionKind parse_attention(const std::string& name) {
  const std::optional<AttentionKind> kind = attention_table.find(name);
  if (kind) return *kind;
  throw Error(
      ErrorCode::usage, "read options",
      fmt::format("--attention \"{}\": expected standard, optimized, efficient or super", name));
}

CLI::Option* add_max_memory(CLI::App& app, uint64_t& bytes, const char* counted) {
  return app.add_option("--max-memory", bytes, counted)->transform(CLI::AsSizeValue(false));
}

void add_seed(CLI::App& app, uint64_t& value) {
  app.add_option("--seed", value, "fixes every random choice");
}

void require_new_output(const std::filesystem::path& out, bool resume, bool restart) {
  if (resume || restart || !is_checkpoint(out)) return;
  throw Error(
      ErrorCode::usage, "train",
      fmt::format("{} holds a finished model: --restart replaces it, another --out keeps it",
                  out.string()));
}

namespace {

// A budget below the least runs that one, and so is told and answered as it.
double budget_that_runs(const ModelConfig& config, double budget) {
  const double least = least_budget(config);
  if (budget == 0 || budget >= least) return budget;
  fmt::print(stderr, "headroom: budget {} is below the least of this model; {} runs\n", budget,
             least);
  return least;
}

}  // namespace

Budget asked_budget(const ModelConfig& config, const std::string& text) {
  if (text != "adaptive") {
    Budget budget = parse_spending(text);
    budget.fraction = budget_that_runs(config, budget.fraction);
    return budget;
  }
  if (config.adaptive()) return {};
  throw Error(ErrorCode::usage, "read options",
              fmt::format("budget \"adaptive\" is for models that choose heads for each text, and "
                          "this one is {}: train it with --method adaptive",
                          method_name(config.method)));
}

std::vector<double> asked_budgets(const CLI::App& app, const ModelConfig& config,
                                  const std::string& comma_list) {
  if (app.count("--budgets") == 0 && !config.elastic()) return {1.0};
  if (comma_list == "adaptive") return {asked_budget(config, comma_list).fraction};
  std::vector<double> budgets = parse_budgets(comma_list);
  // Of our own list, those that do not run are left out.
  if (app.count("--budgets") == 0) {
    std::erase_if(budgets, [&](double budget) { return budget < least_budget(config); });
  }
  for (double& budget : budgets) budget = budget_that_runs(config, budget);
  return budgets;
}

std::vector<Budget> asked_spendings(const CLI::App& app, const ModelConfig& config,
                                    const std::string& comma_list) {
  if (app.count("--budgets") == 0 && !config.elastic()) return {Budget{}};
  if (comma_list == "adaptive") return {asked_budget(config, comma_list)};
  std::vector<Budget> budgets = parse_spendings(comma_list);
  if (app.count("--budgets") == 0) {
    std::erase_if(budgets,
                  [&](const Budget& budget) { return budget.fraction < least_budget(config); });
  }
  for (Budget& budget : budgets) budget.fraction = budget_that_runs(config, budget.fraction);
  return budgets;
}

std::vector<std::string> split_list(const std::string& comma_list) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < comma_list.size();) {
    const size_t end = std::min(comma_list.find(',', begin), comma_list.size());
    if (end > begin) parts.push_back(comma_list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<int64_t> parse_counts(const char* option, const std::string& comma_list) {
  std::vector<int64_t> counts;
  const char* begin = comma_list.data();
  const char* const end = begin + comma_list.size();
  while (true) {
    int64_t count = 0;
    const auto [next, error] = std::from_chars(begin, end, count);
    if (error != std::errc() || count < 1 || (next != end && *next != ',')) {
      throw Error(
          ErrorCode::usage, "read options",
          fmt::format("{} \"{}\" is not a list of whole numbers such as 1,32", option, comma_list));
    }
    counts.push_back(count);
    if (next == end) return counts;
    begin = next + 1;
  }
}

}  // namespace headroom
