// headroom plan: how many cores, hours and how much money so many documents take at each budget,
// from the latency table that `calibrate` measured. Arithmetic alone: nothing is run.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <thread>

#include "base/join.h"
#include "base/measure/machine.h"
#include "base/precision.h"
#include "budget/fraction.h"
#include "budget/ladder/why_no_auto.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/latency_file.h"
#include "checkpoint/policy_file.h"
#include "checkpoint/score_file.h"
#include "cli/app.h"
#include "cli/engines/engine.h"
#include "cli/options.h"
#include "cli/verb.h"

namespace headroom {
namespace {

struct Job {
  double documents = 0;
  int64_t tokens = 0;  // of a document, on average
  int64_t cores = 0;
  std::optional<double> deadline_hours;
  std::optional<double> price;  // of a core-hour
};

struct BudgetPlan {
  Budget budget;
  double ms = 0;  // of a document on one core
  double core_hours = 0;
  double hours = 0;
  const BudgetScore* score = nullptr;  // as `eval --save` measured it
  bool in_time = true;
  int64_t cores_needed = 0;  // to be in time; 0 without a deadline
};

// A number with what it counts behind it: "24h" as 24 hours.
double parse_hours(const std::string& text) {
  constexpr struct {
    char suffix;
    double hours;
  } units[] = {{'s', 1.0 / 3600}, {'m', 1.0 / 60}, {'h', 1}, {'d', 24}};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr + 1 == end && std::isfinite(number) && number > 0) {
    for (const auto& unit : units) {
      if (*read.ptr == unit.suffix) return number * unit.hours;
    }
  }
  throw Error(ErrorCode::usage, "read options",
              fmt::format("--deadline \"{}\" is not a time such as 90m, 24h or 2d", text));
}

void require_above_zero(const char* option, double value) {
  if (std::isfinite(value) && value > 0) return;
  throw Error(ErrorCode::usage, "read options",
              fmt::format("{} {} is not a number above 0", option, value));
}

// `asked` is a CPU's name; empty: this machine, of which more is known than that.
LatencyTable table_for(const std::string& model, const std::string& asked, Precision precision) {
  const std::string name(precision_table.name(precision));
  const std::string machine = asked.empty() ? cpu_name() : asked;
  if (asked.empty()) {
    if (auto own = find_latency_table(model, machine, name, 1)) return std::move(*own);
  }
  std::vector<std::string> others;
  for (LatencyTable& table : read_latency_tables(model)) {
    if (!asked.empty() && table.machine == machine && table.precision == name && table.threads == 1)
      return table;
    others.push_back(
        fmt::format("\"{}\" ({}, {} thread(s))", table.machine, table.precision, table.threads));
  }
  const std::string there =
      others.empty() ? "" : "; --machine and --precision take what is there: " + join(others, ", ");
  throw Error(ErrorCode::usage, "plan",
              fmt::format("{} has no {} table of \"{}\" for one thread: run headroom calibrate "
                          "--model {} --precision {} there{}",
                          model, name, machine, model, name, there));
}

// Of a text that climbs the ladder: its rungs, weighed by who reaches them. Rung zero takes
// microseconds, which the table does not have.
double ladder_ms(const LatencyTable& table, const Policy& policy, int64_t tokens) {
  return policy.expected(policy.top(), [&](double budget) {
    return budget == 0 ? 0.0 : table.estimate(budget, tokens).median_ms;
  });
}

const BudgetScore* saved_score(const std::optional<SavedScores>& scores, const Budget& budget) {
  if (!scores || budget.automatic) return nullptr;
  for (const BudgetScore& score : scores->curve) {
    if (score.budget == budget.fraction) return &score;
  }
  return nullptr;
}

BudgetPlan plan_of(const Budget& budget, double ms, const Job& job) {
  BudgetPlan plan;
  plan.budget = budget;
  plan.ms = ms;
  plan.core_hours = job.documents * ms / 3.6e6;
  plan.hours = plan.core_hours / static_cast<double>(job.cores);
  if (job.deadline_hours) {
    plan.cores_needed = static_cast<int64_t>(std::ceil(plan.core_hours / *job.deadline_hours));
    plan.in_time = plan.hours <= *job.deadline_hours;
  }
  return plan;
}

// The budget that takes longest among those that are in time: what to fall back to.
const BudgetPlan* best_in_time(const std::vector<BudgetPlan>& plans) {
  const BudgetPlan* best = nullptr;
  for (const BudgetPlan& plan : plans) {
    if (plan.in_time && (best == nullptr || plan.ms > best->ms)) best = &plan;
  }
  return best;
}

// What would keep the deadline: more cores, or a budget that is asked about and does.
std::string remedy(const BudgetPlan& plan, const std::vector<BudgetPlan>& plans) {
  std::string text = fmt::format("{} cores would", plan.cores_needed);
  if (const BudgetPlan* best = best_in_time(plans)) {
    text += fmt::format(", or budget {}", spending_name(best->budget));
  }
  return text;
}

Json budget_json(const Budget& budget) {
  return budget.automatic ? Json("auto") : Json(budget.fraction);
}

Json plan_json(const BudgetPlan& plan, const std::vector<BudgetPlan>& plans, const Job& job) {
  Json json;
  json["budget"] = budget_json(plan.budget);
  json["documents"] = job.documents;
  json["tokens"] = job.tokens;
  json["cores"] = job.cores;
  json["ms"] = plan.ms;
  json["documents_per_core_second"] = 1000 / plan.ms;
  json["core_hours"] = plan.core_hours;
  json["hours"] = plan.hours;
  if (plan.score != nullptr) {
    const bool named = plan.score->measure == Measure::named;
    json[measure_title(*plan.score)] = named ? plan.score->measures[0].value : plan.score->accuracy;
  }
  if (job.price) json["cost"] = plan.core_hours * *job.price;
  if (job.deadline_hours) {
    json["deadline_hours"] = *job.deadline_hours;
    json["in_time"] = plan.in_time;
    json["cores_needed"] = plan.cores_needed;
    const BudgetPlan* best = best_in_time(plans);
    if (!plan.in_time && best != nullptr) json["budget_in_time"] = budget_json(best->budget);
  }
  return json;
}

// Three digits that count: 0.0123, 4.56, 789, 12300.
std::string rounded(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

Table plan_table(const std::vector<BudgetPlan>& plans, const Job& job, const std::string& deadline,
                 const std::optional<SavedScores>& scores) {
  Table table{{"budget", "ms a document", "documents a core-second", "core-hours",
               fmt::format("hours on {} cores", job.cores)},
              {}};
  if (scores)
    table.header.push_back(fmt::format("{} on {}", measure_title(scores->curve[0]), scores->data));
  if (job.price) table.header.emplace_back("cost");
  if (job.deadline_hours) table.header.push_back("within " + deadline);
  for (const BudgetPlan& plan : plans) {
    std::vector<std::string> row = {spending_name(plan.budget), fmt::format("{:.3f}", plan.ms),
                                    rounded(1000 / plan.ms), rounded(plan.core_hours),
                                    rounded(plan.hours)};
    if (scores) row.push_back(plan.score != nullptr ? measured(*plan.score) : "");
    if (job.price) row.push_back(fmt::format("{:.2f}", plan.core_hours * *job.price));
    if (job.deadline_hours) {
      row.push_back(plan.in_time ? "yes" : "no; " + remedy(plan, plans));
    }
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace

int run_plan(int argc, char** argv) {
  CLI::App app(
      "Tells how many core-hours and hours so many documents take at each budget, what they cost "
      "and "
      "what keeps a deadline, from the latency table that calibrate measured. Runs nothing.",
      "headroom plan");
  std::string model;
  std::string machine;
  std::string budgets = "0.125,0.25,0.5,0.75,1";
  std::string deadline;
  std::optional<Precision> precision;
  Job job;
  double price = 0;
  app.add_option("--model", model, "checkpoint directory, calibrated")->required();
  app.add_option("--documents", job.documents, "how many, such as 1e9")->required();
  app.add_option("--tokens", job.tokens, "of a document, on average; 0: the longest input")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--cores", job.cores, "that work at the same time; 0: those of this machine")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--deadline", deadline, "in which all must be done, such as 90m, 24h or 2d");
  CLI::Option* price_option =
      app.add_option("--price-per-core-hour", price, "in any currency, for the cost");
  app.add_option("--budgets", budgets,
                 "comma-separated fractions in (0, 1] and auto; without it also auto where the "
                 "checkpoint is tuned");
  add_precision(app, precision);
  app.add_option("--machine", machine,
                 "CPU whose table to take, as latency.json names it; without it this one's");
  return run_app(app, argc, argv, [&](bool json) {
    require_above_zero("--documents", job.documents);
    if (*price_option) require_above_zero("--price-per-core-hour", price);
    if (*price_option) job.price = price;
    if (!deadline.empty()) job.deadline_hours = parse_hours(deadline);
    if (job.cores == 0) job.cores = std::max(1U, std::thread::hardware_concurrency());
    const ModelConfig config = read_config(model);
    const int64_t longest = config.longest_input();
    if (job.tokens > longest) {
      fmt::print(stderr, "note: the model reads {} tokens; longer documents are truncated\n",
                 longest);
    }
    job.tokens = job.tokens == 0 ? longest : std::min(job.tokens, longest);
    const LatencyTable table = table_for(model, machine, asked_precision(model, config, precision));
    const std::optional<Policy> policy = read_policy(model, config).policy;
    const std::optional<SavedScores> scores = read_scores(model);
    std::vector<Budget> asked = asked_spendings(app, config, budgets);
    if (app.count("--budgets") == 0 && policy) asked.push_back(parse_spending("auto"));
    std::vector<BudgetPlan> plans;
    for (const Budget& budget : asked) {
      if (budget.automatic && !policy) {
        throw Error(ErrorCode::usage, "plan",
                    fmt::format("this model has no budget auto to plan with: {}",
                                why_no_auto(config.task)));
      }
      if (!budget.automatic) checked_budget(budget.fraction);
      const double ms = budget.automatic ? ladder_ms(table, *policy, job.tokens)
                                         : table.estimate(budget.fraction, job.tokens).median_ms;
      plans.push_back(plan_of(budget, ms, job));
      plans.back().score = saved_score(scores, budget);
    }
    if (json) {
      for (const BudgetPlan& plan : plans) print_json_line(plan_json(plan, plans, job));
    } else {
      fmt::print("{} documents of {} tokens; {}, {}, calibrated {}\n\n", job.documents, job.tokens,
                 table.machine, table.precision, table.date);
      print_table(plan_table(plans, job, deadline, scores));
    }
    if (!plans.empty() && best_in_time(plans) == nullptr) {
      const auto cheapest =
          std::min_element(plans.begin(), plans.end(),
                           [](const BudgetPlan& a, const BudgetPlan& b) { return a.ms < b.ms; });
      throw Error(
          ErrorCode::target_unreachable, "plan",
          fmt::format("no budget keeps {} on {} cores: {}, the fastest, takes {} h there and "
                      "needs {} cores",
                      deadline, job.cores, spending_name(cheapest->budget),
                      rounded(cheapest->hours), cheapest->cores_needed));
    }
  });
}

}  // namespace headroom
