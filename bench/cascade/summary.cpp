#include "cascade/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/files/file.h"
#include "base/table.h"
#include "cascade/confidences.h"
#include "cascade/frontier.h"

namespace headroom {
namespace {

constexpr int least_seeds = 3;

// The interval of two seeds says nothing: Student's t with one degree of freedom.
report::Estimate seed_estimate(const std::vector<double>& values) {
  report::Estimate found = report::estimate(values);
  if (found.count < least_seeds) found.half_width = 0;
  return found;
}

namespace fs = std::filesystem;

// What --budget auto should give: at most `loss` below the full model in `time` of its time.
struct Goal {
  const char* data;
  double loss;
  double time;
};
constexpr Goal goals[] = {{"agnews", 0.0025, 0.12},   {"agnews", 0.001, 0.25},
                          {"banking77", 0.003, 0.33}, {"imdb", 0.002, 0.30},
                          {"dbpedia", 0.002, 0.30},   {"newsgroups20", 0.002, 0.30}};

// Where a set stands on the page.
size_t rank_of(const std::string& data) {
  const auto found = std::find_if(std::begin(goals), std::end(goals),
                                  [&](const Goal& g) { return g.data == data; });
  return static_cast<size_t>(found - std::begin(goals));
}

double value_of(const Json& run, const std::string& arm, const char* key) {
  for (const Json& candidate : run.at("arms")) {
    if (candidate.at("arm") == arm) return candidate.at(key).get<double>();
  }
  throw Error(ErrorCode::bad_data, "read runs",
              fmt::format("{} seed {} has no arm {}", run.at("data").get<std::string>(),
                          run.at("seed").get<int64_t>(), arm));
}

bool has_arm(const Json& run, const std::string& arm) {
  const Json& arms = run.at("arms");
  return std::any_of(arms.begin(), arms.end(), [&](const Json& a) { return a.at("arm") == arm; });
}

// Arms that every seed has, in the order of the first run.
std::vector<ArmSummary> summarise(const std::vector<Json>& runs) {
  std::vector<ArmSummary> arms;
  for (const Json& arm : runs.front().at("arms")) {
    const std::string name = arm.at("arm");
    if (!std::all_of(runs.begin(), runs.end(), [&](const Json& r) { return has_arm(r, name); })) {
      continue;
    }
    const auto over_seeds = [&](const char* key) {
      std::vector<double> values;
      for (const Json& run : runs) values.push_back(value_of(run, name, key));
      return seed_estimate(values);
    };
    ArmSummary summary{name, arm.at("kind"), over_seeds("accuracy"), {}, {}, {}, {}, {}};
    std::vector<double> differences;
    for (const Json& run : runs) {
      differences.push_back(value_of(run, name, "accuracy") - value_of(run, "1", "accuracy"));
    }
    summary.difference = seed_estimate(differences);
    summary.us_per_text[0] = over_seeds("us_per_text_batch_1");
    summary.us_per_text[1] = over_seeds("us_per_text_batch_32");
    summary.time_share[0] = over_seeds("time_share_batch_1");
    summary.time_share[1] = over_seeds("time_share_batch_32");
    if (arm.contains("agreement")) {
      summary.agreement = over_seeds("agreement");
      summary.mean_budget = over_seeds("mean_budget");
    }
    arms.push_back(std::move(summary));
  }
  return arms;
}

std::vector<RunGroup> read_groups(const fs::path& folder) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<Json>> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    Json run = parse_json(read_file(entry.path(), ErrorCode::bad_data, 1 << 22),
                          ErrorCode::bad_data, entry.path().string());
    found[{run.at("data"), run.at("base"), run.at("machine").at("cpu")}].push_back(std::move(run));
  }
  if (found.empty()) {
    throw Error(ErrorCode::usage, "read runs",
                folder.string() + " has none; scripts/bench-cascade-sets makes them");
  }
  std::vector<RunGroup> groups;
  for (auto& [key, runs] : found) {
    std::sort(runs.begin(), runs.end(),
              [](const Json& a, const Json& b) { return a.at("seed") < b.at("seed"); });
    RunGroup group{std::get<0>(key), std::get<1>(key), std::get<2>(key), std::move(runs), {}, {}};
    group.arms = summarise(group.runs);
    groups.push_back(std::move(group));
  }
  // Sets in the order of their goals, more seeds first.
  std::stable_sort(groups.begin(), groups.end(), [](const RunGroup& a, const RunGroup& b) {
    return std::tuple(rank_of(a.data), a.data, b.runs.size()) <
           std::tuple(rank_of(b.data), b.data, a.runs.size());
  });
  return groups;
}

// The first with peers is the one that others show: cascade.svg.
void name_pictures(std::vector<RunGroup>& groups) {
  auto shown = std::find_if(groups.begin(), groups.end(),
                            [](const RunGroup& group) { return group.has_peers(); });
  if (shown == groups.end()) shown = groups.begin();
  std::map<std::string, int> used;
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    std::string name = "cascade";
    if (group != shown) {
      name = fmt::format("cascade-{}", group->data);
      if (const int before = used[group->data]++; before > 0) {
        name += fmt::format("-{}", before + 1);
      }
    }
    std::replace_if(
        name.begin(), name.end(),
        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-'; }, '-');
    group->picture = name + ".svg";
  }
}

std::string percent(const report::Estimate& value) {
  return value.count < least_seeds
             ? fmt::format("{:.2f}", 100 * value.mean)
             : fmt::format("{:.2f} ± {:.2f}", 100 * value.mean, 100 * value.half_width);
}

std::string number(const report::Estimate& value, int decimals) {
  return value.count < least_seeds
             ? fmt::format("{:.{}f}", value.mean, decimals)
             : fmt::format("{:.{}f} ± {:.{}f}", value.mean, decimals, value.half_width, decimals);
}

Json estimate_json(const report::Estimate& value) {
  return {{"mean", value.mean}, {"half_width", value.half_width}, {"seeds", value.count}};
}

struct GoalResult {
  report::Estimate difference;
  report::Estimate time_share[2];
  bool reached = false;
};

// Of every seed the dearest ladder whose measured time is within the goal's at both batch sizes:
// chosen by time alone, never by what it got right on test rows.
std::optional<GoalResult> try_goal(const RunGroup& group, const Goal& goal) {
  std::vector<double> differences;
  std::vector<double> shares[2];
  for (const Json& run : group.runs) {
    const Json* dearest = nullptr;
    for (const Json& arm : run.at("arms")) {
      if (arm.at("kind") != "auto" || arm.at("time_share_batch_1").get<double>() > goal.time ||
          arm.at("time_share_batch_32").get<double>() > goal.time) {
        continue;
      }
      if (dearest == nullptr || arm.at("promised").get<double>() > dearest->at("promised")) {
        dearest = &arm;
      }
    }
    if (dearest == nullptr) return std::nullopt;
    differences.push_back(dearest->at("accuracy").get<double>() - value_of(run, "1", "accuracy"));
    shares[0].push_back(dearest->at("time_share_batch_1"));
    shares[1].push_back(dearest->at("time_share_batch_32"));
  }
  GoalResult result{seed_estimate(differences),
                    {seed_estimate(shares[0]), seed_estimate(shares[1])}};
  result.reached = result.difference.mean >= -goal.loss;
  return result;
}

std::string goals_section(const std::vector<RunGroup>& groups, Json& json) {
  Table table{{"data", "model", "CPU", "goal", "auto less dense, points",
               "of dense's time, batch 1", "batch 32", "reached"},
              {}};
  for (const RunGroup& group : groups) {
    for (const Goal& goal : goals) {
      if (goal.data != group.data) continue;
      const std::optional<GoalResult> result = try_goal(group, goal);
      const std::string asked = fmt::format("{:.2f} at {:.2f}", -100 * goal.loss, goal.time);
      const std::vector<std::string> head = {set_title(group.data), group.base, group.cpu, asked};
      table.rows.push_back(head);
      std::vector<std::string>& row = table.rows.back();
      Json entry = {{"data", group.data}, {"base", group.base}, {"cpu", group.cpu},
                    {"loss", goal.loss},  {"time", goal.time},  {"reached", false}};
      if (!result) {
        row.insert(row.end(), {"no ladder is so fast", "", "", "no"});
      } else {
        row.insert(row.end(), {percent(result->difference), number(result->time_share[0], 3),
                               number(result->time_share[1], 3), result->reached ? "yes" : "no"});
        entry["difference"] = estimate_json(result->difference);
        entry["time_share_batch_1"] = estimate_json(result->time_share[0]);
        entry["time_share_batch_32"] = estimate_json(result->time_share[1]);
        entry["reached"] = result->reached;
      }
      json.push_back(std::move(entry));
    }
  }
  if (table.rows.empty()) return "";
  return fmt::format(
      "## Goals\n\n*-0.25 at 0.12*: at most 0.25 points below the full model in 0.12 of its time. "
      "Of every seed the dearest ladder within that time at both batch sizes counts.\n\n{}\n",
      markdown(table));
}

std::string seeds_text(const RunGroup& group) {
  std::string text = group.runs.size() > 1 ? "seeds " : "seed ";
  for (size_t i = 0; i < group.runs.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", group.runs[i].at("seed").get<int64_t>());
  }
  return text;
}

std::string group_section(const RunGroup& group) {
  const Json& first = group.runs.front();
  Table table{{"budget", "accuracy", "less dense", "agreement", "mean budget", "µs a text, batch 1",
               "of dense", "batch 32", "of dense"},
              {}};
  for (const ArmSummary& arm : group.arms) {
    const bool peer = arm.agreement.count == 0;
    table.rows.push_back({arm.name, percent(arm.accuracy), percent(arm.difference),
                          peer ? "" : percent(arm.agreement),
                          peer ? "" : number(arm.mean_budget, 3), number(arm.us_per_text[0], 1),
                          number(arm.time_share[0], 3), number(arm.us_per_text[1], 1),
                          number(arm.time_share[1], 3)});
  }
  std::string text = fmt::format(
      "## {}, {}\n\n{}; {}, {}, one thread, {}, commit {}. Rung zero was distilled from {} rows, "
      "ladders were fitted to {}, accuracy is over {} test rows; {} of them were timed, {} rounds.",
      set_title(group.data), group.base, seeds_text(group), group.cpu,
      first.at("precision").get<std::string>(), first.at("date").get<std::string>(),
      first.at("commit").get<std::string>(), first.at("distilled_rows").get<int64_t>(),
      first.at("validation_rows").get<int64_t>(), first.at("test_rows").get<int64_t>(),
      first.at("timed_texts").get<int64_t>(), first.at("rounds").get<int>());
  int64_t differing = 0;
  std::set<std::string> notes;  // once each
  for (const Json& run : group.runs) {
    if (run.contains("note") && notes.insert(run.at("note").get<std::string>()).second) {
      text += fmt::format(" {}", run.at("note").get<std::string>());
    }
    differing += run.value("differing_answers", int64_t{0});
  }
  if (differing > 0) {
    text += fmt::format(" **{} timed answers were others than the scores say.**", differing);
  }
  return text +
         fmt::format("\n\n![accuracy against time]({})\n\n{}\n", group.picture, markdown(table));
}

std::string promise_section(const std::vector<RunGroup>& groups) {
  Table table{{"data", "model", "splits", "broken", "mean budget"}, {}};
  for (const RunGroup& group : groups) {
    int64_t splits = 0;
    int64_t broken = 0;
    std::vector<double> spent;
    for (const Json& run : group.runs) {
      const Json& promise = run.at("promise");
      if (promise.is_null()) continue;
      splits += promise.at("splits").get<int64_t>();
      broken += promise.at("broken").get<int64_t>();
      spent.push_back(promise.at("mean_budget"));
    }
    if (splits == 0) continue;
    table.rows.push_back({set_title(group.data), group.base, std::to_string(splits),
                          std::to_string(broken), number(seed_estimate(spent), 3)});
  }
  return fmt::format(
      "## Does the promise hold?\n\n`--agreement 0.99`, tuned on half of the test rows and tried "
      "on "
      "the other half, 20 random splits a model. Splits of the same rows are not independent.\n\n"
      "{}\n",
      markdown(table));
}

std::string calibration_section(const std::vector<RunGroup>& groups) {
  Table table{{"data", "model", "budget", "temperature", "calibration error before", "after"}, {}};
  for (const RunGroup& group : groups) {
    const Json& budgets = group.runs.front().at("calibration");
    for (size_t i = 0; i < budgets.size(); ++i) {
      const auto over_seeds = [&](const char* key) {
        std::vector<double> values;
        for (const Json& run : group.runs) values.push_back(run.at("calibration").at(i).at(key));
        return seed_estimate(values);
      };
      table.rows.push_back({set_title(group.data), group.base,
                            fmt::format("{}", budgets[i].at("budget").get<double>()),
                            number(over_seeds("temperature"), 3), number(over_seeds("before"), 4),
                            number(over_seeds("after"), 4)});
    }
  }
  return "## Calibration\n\nExpected calibration error on the test rows, 15 bins, without and with "
         "the temperature that `tune` fits.\n\n" +
         markdown(table);
}

Json group_json(const RunGroup& group) {
  Json arms = Json::array();
  for (const ArmSummary& arm : group.arms) {
    arms.push_back({{"arm", arm.name},
                    {"kind", arm.kind},
                    {"accuracy", estimate_json(arm.accuracy)},
                    {"difference", estimate_json(arm.difference)},
                    {"us_per_text_batch_1", estimate_json(arm.us_per_text[0])},
                    {"us_per_text_batch_32", estimate_json(arm.us_per_text[1])},
                    {"time_share_batch_1", estimate_json(arm.time_share[0])},
                    {"time_share_batch_32", estimate_json(arm.time_share[1])}});
    if (arm.agreement.count == 0) continue;
    arms.back()["agreement"] = estimate_json(arm.agreement);
    arms.back()["mean_budget"] = estimate_json(arm.mean_budget);
  }
  return {{"data", group.data},       {"base", group.base}, {"cpu", group.cpu},
          {"picture", group.picture}, {"arms", arms},       {"runs", group.runs}};
}

}  // namespace

bool RunGroup::has_peers() const {
  return std::any_of(arms.begin(), arms.end(),
                     [](const ArmSummary& arm) { return arm.kind == "peer"; });
}

std::string write_summary(const fs::path& folder, const fs::path& out) {
  std::vector<RunGroup> groups = read_groups(folder);
  name_pictures(groups);
  Json json = {{"goals", Json::array()}, {"groups", Json::array()}};
  std::string page =
      "# --budget auto, measured\n\nWritten by `make bench-cascade`; [cascade.json](cascade.json) "
      "has every run. Of every model: rung zero is distilled from the rows that it was trained on; "
      "temperatures and ladders are fitted to rows of the training set that it was not trained on; "
      "test rows are scored once. *auto, mean 0.12* is the ladder of `tune --mean-budget 0.12`. "
      "Times are of text in, answer out: tokenising is included, but for ONNX Runtime's; loading "
      "is not; every round has all arms in shuffled order; medians. Accuracy × 100. Of several "
      "seeds the mean, of three or more with ± half a 95 % interval (Student's t).\n\n"
      "*Early exit* is the usual way to spend less on easy texts (DeeBERT, arXiv 2004.12993): an "
      "exit behind every layer of the finished model, trained with the layers as they are; *0.5 of "
      "the layers* is the threshold at which that share ran on validation rows. Heads chosen per "
      "input (BudgetFormer) took 0.78 of a dense model's time on AG News for the same accuracy "
      "([adaptive-agnews-pretrained](adaptive-agnews-pretrained/README.md)): a model of its own, "
      "and slower than any ladder here, so it is not among the arms.\n\n";
  page += goals_section(groups, json["goals"]);
  for (const RunGroup& group : groups) {
    page += group_section(group);
    json["groups"].push_back(group_json(group));
    write_file_atomically(out / group.picture, draw_frontier(group));
  }
  page += confidences_section(groups) + promise_section(groups) + calibration_section(groups);
  write_file_atomically(out / "cascade.json", json.dump(1) + "\n");
  write_file_atomically(out / "cascade.md", page);
  return page;
}

}  // namespace headroom
