#include "overload/page.h"

#include <fmt/format.h>

#include "base/table.h"

namespace headroom::overload {
namespace {

std::string percent(const Json& value) {
  return fmt::format("{:.2f} %", 100 * value.get<double>());
}

std::string runs_table(const Json& runs, const std::string& arm) {
  Table table{{"load", "asked /s", "in time", "right, in time", "late", "refused", "accuracy",
               "mean budget", "p50 ms", "p99 ms"},
              {}};
  for (const Json& run : runs) {
    if (run.at("arm") != arm) continue;
    const auto number = [&](const char* key, int digits) {
      return fmt::format("{:.{}f}", run.at(key).get<double>(), digits);
    };
    table.rows.push_back({fmt::format("{}x", run.at("times").get<double>()), number("rate", 0),
                          percent(run.at("in_time")), percent(run.at("right_in_time")),
                          percent(run.at("late")), percent(run.at("refused_share")),
                          percent(run.at("accuracy")),
                          run.at("mean_budget") > 0 ? number("mean_budget", 3) : "–",
                          number("p50_ms", 1), number("p99_ms", 1)});
  }
  return markdown(table);
}

}  // namespace

std::string overload_page(const Json& results) {
  const Json& machine = results.at("machine");
  std::string page = fmt::format(
      "# More than a server can do\n\n"
      "What is asked, answered in time, answered late and refused when requests come faster than "
      "they can be\n"
      "answered. Made by `make bench-overload` on {} ({} cores), {}, commit {}; "
      "[overload.json](overload.json) has every number.\n\n"
      "A trace of {:.0f} s (seed {}) is replayed open-loop, so that a slow server cannot slow the "
      "client down: a day (0.4 to 1.6\n"
      "times the mean), bursts of three times that whose lengths have a heavy tail, and requests "
      "in groups whose sizes have one\n"
      "too. Texts are AG News test rows, with their labels. The deadline is {:.0f} ms from when a "
      "request was due. Client and\n"
      "server share the cores. A load of 1x is what the engine answers at budget 1 when it always "
      "has something to do: {:.0f} a\n"
      "second ours, {:.0f} ONNX Runtime's; each is offered multiples of its own.\n\n"
      "| column | of all requests |\n|---|---|\n"
      "| in time | answered within the deadline: goodput |\n"
      "| right, in time | and with the right label |\n"
      "| late | answered after it, or not {:.0f} s after the trace |\n"
      "| refused | told at once that there will be no answer |\n"
      "| accuracy | right labels, of those answered |\n\n",
      machine.at("cpu").get<std::string>(), machine.at("cores").get<int>(),
      results.at("date").get<std::string>(), results.at("commit").get<std::string>(),
      results.at("seconds").get<double>(), results.at("seed").get<int64_t>(),
      results.at("deadline_ms").get<double>(), results.at("capacity").at("headroom").get<double>(),
      results.at("capacity").at("onnxruntime").get<double>(),
      results.at("grace_seconds").get<double>());
  for (const Json& arm : results.at("arms")) {
    page += fmt::format("## {}\n\n{}\n\n{}\n", arm.at("title").get<std::string>(),
                        arm.at("about").get<std::string>(),
                        runs_table(results.at("runs"), arm.at("name").get<std::string>()));
  }
  return page;
}

}  // namespace headroom::overload
