#include "overload/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/table.h"

namespace headroom::overload {
namespace {

std::string percent(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

std::string percent(const Json& value) {
  return percent(value.get<double>());
}

// By load, whatever the order of measuring.
std::vector<Json> runs_of(const Json& results, const std::string& trace, const std::string& arm) {
  std::vector<Json> runs;
  for (const Json& run : results.at("runs")) {
    if (run.at("arm") == arm && run.at("trace") == trace) runs.push_back(run);
  }
  std::sort(runs.begin(), runs.end(), [](const Json& a, const Json& b) {
    return a.at("times").get<double>() < b.at("times").get<double>();
  });
  return runs;
}

std::string runs_table(const std::vector<Json>& runs) {
  Table table{{"load", "asked /s", "in time", "right, in time", "late", "refused",
               "in time, of answers", "accuracy", "mean budget", "p50 ms", "p99 ms"},
              {}};
  for (const Json& run : runs) {
    const auto number = [&](const char* key, int digits) {
      return fmt::format("{:.{}f}", run.at(key).get<double>(), digits);
    };
    table.rows.push_back({fmt::format("{}x", run.at("times").get<double>()), number("rate", 0),
                          percent(run.at("in_time")), percent(run.at("right_in_time")),
                          percent(run.at("late")), percent(run.at("refused_share")),
                          percent(in_time_of_answers(run)), percent(run.at("accuracy")),
                          run.at("mean_budget") > 0 ? number("mean_budget", 3) : "–",
                          number("p50_ms", 1), number("p99_ms", 1)});
  }
  return markdown(table);
}

struct Goal {
  const char* text;
  double times;
  double (*value)(const Json& run);
  bool (*met)(double value);
};

const Goal goals[] = {
    {"at least 99.9 % of answers in time at 3x", 3, in_time_of_answers,
     [](double value) { return value >= 0.999; }},
    {"at most 1 % refused at 5x", 5,
     [](const Json& run) { return run.at("refused_share").get<double>(); },
     [](double value) { return value <= 0.01; }},
};

std::string trace_title(const std::string& trace) {
  return trace == "bursts" ? "A day with bursts" : "Steady arrivals";
}

// What the two arms with a controller and small budgets make of the goals.
std::string goals_table(const Json& results) {
  Table table{{"goal", "arrivals", "auto", "flat budgets"}, {}};
  for (const Goal& goal : goals) {
    for (const std::string trace : {"bursts", "steady"}) {
      std::vector<std::string> row = {goal.text, trace == "bursts" ? "bursts" : "steady"};
      for (const std::string arm : {"auto", "controller"}) {
        std::string cell = "not measured";
        for (const Json& run : runs_of(results, trace, arm)) {
          if (run.at("times").get<double>() != goal.times) continue;
          const double value = goal.value(run);
          cell = fmt::format("{}: {}", percent(value), goal.met(value) ? "met" : "missed");
        }
        row.push_back(cell);
      }
      table.rows.push_back(row);
    }
  }
  return markdown(table);
}

std::string introduction(const Json& results) {
  const Json& machine = results.at("machine");
  const Json& capacity = results.at("capacity");
  const std::string peer =
      capacity.value("onnxruntime", Json()).is_null()
          ? ""
          : fmt::format(", {:.0f} ONNX Runtime's; each is offered multiples of its own",
                        capacity.at("onnxruntime").get<double>());
  return fmt::format(
      "# More than a server can do\n\n"
      "What is asked, answered in time, answered late and refused when requests come faster than "
      "they can be\n"
      "answered. Made by `make bench-overload` on {} ({} cores), {}, commit {}; "
      "[overload.json](overload.json) has every number.\n\n"
      "A trace of {:.0f} s (seed {}) is replayed open-loop, so that a slow server cannot slow the "
      "client down. There are two: a day\n"
      "(0.4 to 1.6 times the mean) with bursts of three times that whose lengths have a heavy "
      "tail, and requests in groups whose\n"
      "sizes have one too; and independent requests at a constant rate. Texts are AG News test "
      "rows, with their labels. The deadline is\n"
      "{:.0f} ms from when a request was due. Client and server share the cores. A load of 1x is "
      "what the engine answers at budget 1\n"
      "when it always has something to do: {:.0f} a second ours{}.\n\n"
      "| column | of all requests |\n|---|---|\n"
      "| in time | answered within the deadline: goodput |\n"
      "| right, in time | and with the right label |\n"
      "| late | answered after it, or not {:.0f} s after the trace |\n"
      "| refused | told at once that there will be no answer |\n"
      "| in time, of answers | answered within the deadline, of those answered |\n"
      "| accuracy | right labels, of those answered |\n\n",
      machine.at("cpu").get<std::string>(), machine.at("cores").get<int>(),
      results.at("date").get<std::string>(), results.at("commit").get<std::string>(),
      results.at("seconds").get<double>(), results.at("seed").get<int64_t>(),
      results.at("deadline_ms").get<double>(), capacity.at("headroom").get<double>(), peer,
      results.at("grace_seconds").get<double>());
}

}  // namespace

double in_time_of_answers(const Json& run) {
  const auto sent = run.at("sent").get<double>();
  const auto answered = run.at("answered").get<double>() + run.at("lost").get<double>();
  return answered > 0 ? run.at("in_time").get<double>() * sent / answered : 0;
}

std::string overload_page(const Json& results) {
  std::string page = introduction(results) + goals_table(results) + "\n";
  for (const Json& arm : results.at("arms")) {
    const auto name = arm.at("name").get<std::string>();
    page += fmt::format("## {}\n\n{}\n\n", arm.at("title").get<std::string>(),
                        arm.at("about").get<std::string>());
    for (const std::string trace : {"bursts", "steady"}) {
      const std::vector<Json> runs = runs_of(results, trace, name);
      if (runs.empty()) continue;
      page += fmt::format("{}:\n\n{}\n", trace_title(trace), runs_table(runs));
    }
  }
  return page;
}

}  // namespace headroom::overload
