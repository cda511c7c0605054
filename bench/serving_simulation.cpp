// The server's controller under loads that no test machine could send, beside fixed budgets and
// beside refusing: how many requests are answered in time, at what budget and accuracy.
//   bench-serving --inputs FILE --measure --model DIR --data SPEC --scores FILE
//   bench-serving --inputs FILE [--out DIRECTORY]
// The first writes FILE, measured on this machine; the second simulates. --scores is what `headroom
// eval --json` printed.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "cli/app.h"
#include "cli/options.h"
#include "data/eval_rows.h"
#include "engine/answers/calibration.h"
#include "serving_inputs.h"
#include "serving_load.h"
#include "simulated_server.h"

namespace headroom {
namespace {

constexpr double minute_ms = 60000;

struct MeasureRequest {
  std::string model = "models/news-mini";
  std::string data = "agnews:test";
  std::string data_dir = default_data_dir();
  std::string scores;
};

ServingInputs measure(const MeasureRequest& request) {
  ServingInputs inputs;
  std::istringstream lines(read_file(request.scores, ErrorCode::bad_data));
  for (std::string line; std::getline(lines, line);) {
    const Json json = parse_json(line, ErrorCode::bad_data, request.scores);
    const JsonFields score(json, ErrorCode::bad_data, request.scores);
    inputs.scores.emplace_back(score.number("budget", 0, 1), score.number("accuracy", 0, 1));
  }
  const auto model = EngineModel::load(request.model);
  const ModelConfig& config = model->config();
  const EncodedDataset rows =
      eval_rows(request.data, request.data_dir, config.labels, model->tokenizer(),
                static_cast<int>(config.shape.positions));
  for (const int32_t length : rows.lengths()) inputs.lengths.push_back(length);
  SilentProgress silent;
  inputs.table = calibrate(model, {}, silent);
  constexpr double seconds = 10;
  inputs.slowdowns =
      measure_slowdowns(model, inputs.table, inputs.lengths, ServingRun().workers, seconds);
  return inputs;
}

const std::vector<ServingArm>& arms() {
  static const std::vector<ServingArm> all = {{"controller", 0.125, 1, false},
                                              {"fixed 1", 1, 1, true},
                                              {"fixed 0.5", 0.5, 0.5, true},
                                              {"fixed 0.25", 0.25, 0.25, true},
                                              {"refuse at 1", 1, 1, false}};
  return all;
}

// Loads over one server, told by their multiple of what its workers can do at budget 1.
std::vector<ServingLoad> single_server_loads(double capacity) {
  std::vector<ServingLoad> loads;
  for (const double multiple : {0.5, 1.0, 1.5, 2.0, 3.0}) {
    loads.push_back(
        constant_load(fmt::format("{}x", multiple), multiple * capacity, 5 * minute_ms));
  }
  loads.push_back(burst_load(capacity, 5 * minute_ms));
  return loads;
}

// Every replica gets its own arrivals and its own speed: machines of one kind differ by a tenth.
ServingResult simulate_day(const ServingInputs& inputs, const ServingArm& arm, double capacity,
                           int replicas) {
  constexpr uint64_t load_seed = 1;
  const ServingLoad load = daily_load(capacity, minute_ms, load_seed);
  ServingResult sum;
  for (int i = 0; i < replicas; ++i) {
    ServingRun run;
    run.seed = static_cast<uint64_t>(i) + 1;
    run.speed = 1 + 0.1 * std::clamp(Random({run.seed, 77}).normal(), -2.0, 2.0);
    sum.add(simulate(inputs, arm, load, run));
  }
  return sum;
}

Json summary(const std::string& load, const std::string& arm, ServingResult result) {
  const auto offered = static_cast<double>(result.offered);
  const double answered = std::max(1.0, static_cast<double>(result.times_ms.size()));
  const auto quantile_of = [&](double q) {
    if (result.times_ms.empty()) return 0.0F;
    const auto place = static_cast<ptrdiff_t>(q * static_cast<double>(result.times_ms.size() - 1));
    const auto middle = result.times_ms.begin() + place;
    std::nth_element(result.times_ms.begin(), middle, result.times_ms.end());
    return *middle;
  };
  return {{"load", load},
          {"arm", arm},
          {"requests", result.offered},
          {"in_time", static_cast<double>(result.in_time) / offered},
          {"refused", static_cast<double>(result.refused) / offered},
          {"mean_budget", result.budgets / answered},
          {"accuracy", result.accuracies / answered},
          {"right_in_time", result.right_in_time / offered},
          {"p50_ms", quantile_of(0.5)},
          {"p99_ms", quantile_of(0.99)},
          {"budget_changes", static_cast<double>(result.budget_changes) / answered}};
}

std::string percent(const Json& value) {
  return fmt::format("{:.2f} %", 100 * value.get<double>());
}

Table arms_table(const Json& runs) {
  Table table{{"load", "arm", "in time", "refused", "mean budget", "accuracy", "right and in time",
               "p50 ms", "p99 ms"},
              {}};
  for (const Json& run : runs) {
    table.rows.push_back({run.at("load").get<std::string>(), run.at("arm").get<std::string>(),
                          percent(run.at("in_time")), percent(run.at("refused")),
                          fmt::format("{:.3f}", run.at("mean_budget").get<double>()),
                          percent(run.at("accuracy")), percent(run.at("right_in_time")),
                          fmt::format("{:.1f}", run.at("p50_ms").get<double>()),
                          fmt::format("{:.1f}", run.at("p99_ms").get<double>())});
  }
  return table;
}

// The constants that were chosen, then each one alone set otherwise.
std::vector<std::pair<std::string, ControllerSettings>> constants_tried() {
  std::vector<std::pair<std::string, ControllerSettings>> tried = {{"as chosen", {}}};
  const auto with = [&](const std::string& name, const auto& change) {
    ControllerSettings settings;
    change(settings);
    tried.emplace_back(name, settings);
  };
  for (const double share : {0.05, 0.1, 0.4}) {
    with(fmt::format("margin {}", share), [&](auto& s) { s.margin_share = share; });
  }
  for (const double window : {200.0, 1000.0, 2000.0}) {
    with(fmt::format("window {} ms", window), [&](auto& s) { s.load_window_ms = window; });
  }
  for (const auto& busy : {std::pair(0.85, 0.75), {0.9, 0.8}, {0.95, 0.9}, {1.0, 0.9}}) {
    with(fmt::format("busy {}, raise {}", busy.first, busy.second), [&](auto& s) {
      s.busy_target = busy.first;
      s.raise_busy = busy.second;
    });
  }
  for (const double wait : {20.0, 500.0}) {
    with(fmt::format("raise after {} ms", wait), [&](auto& s) { s.raise_after_ms = wait; });
  }
  with("queue alone", [](auto& s) { s.busy_target = s.raise_busy = 1e9; });
  return tried;
}

Json simulate_constants(const ServingInputs& inputs, double capacity) {
  std::vector<ServingLoad> loads = single_server_loads(capacity);
  Json runs = Json::array();
  for (const auto& [name, settings] : constants_tried()) {
    ServingRun run;
    run.controller = settings;
    for (const ServingLoad& load : loads) {
      runs.push_back(summary(load.name, name, simulate(inputs, arms().front(), load, run)));
    }
  }
  return runs;
}

// A row for each setting, a column for each load: in time, accuracy, budget changes per 100
// answers.
Table constants_table(const Json& runs) {
  Table table{{"constants"}, {}};
  for (const Json& run : runs) {
    const auto load = run.at("load").get<std::string>();
    const auto name = run.at("arm").get<std::string>();
    if (name == "as chosen") table.header.push_back(load);
    if (table.rows.empty() || table.rows.back().front() != name) table.rows.push_back({name});
    table.rows.back().push_back(fmt::format("{}, {}, {:.1f}", percent(run.at("in_time")),
                                            percent(run.at("accuracy")),
                                            100 * run.at("budget_changes").get<double>()));
  }
  return table;
}

Json run_simulations(const ServingInputs& inputs, int replicas) {
  const ServingRun run;
  const double capacity = run.workers / inputs.mean_ms(1);
  Json results = {{"machine", inputs.table.machine},
                  {"measured", inputs.table.date},
                  {"requests_per_second_at_budget_1", 1000 * capacity},
                  {"workers", run.workers},
                  {"slo_ms", run.slo_ms},
                  {"replicas", replicas},
                  {"runs", Json::array()}};
  for (const ServingLoad& load : single_server_loads(capacity)) {
    for (const ServingArm& arm : arms()) {
      results["runs"].push_back(summary(load.name, arm.name, simulate(inputs, arm, load, run)));
    }
  }
  for (const ServingArm& arm : arms()) {
    results["runs"].push_back(
        summary("day", arm.name, simulate_day(inputs, arm, capacity, replicas)));
  }
  results["constants"] = simulate_constants(inputs, capacity);
  return results;
}

int run(int argc, char** argv) {
  CLI::App app("Simulates the server's controller under load; time is simulated, work is measured.",
               "bench-serving");
  std::string file;
  std::string out;
  bool measures = false;
  int replicas = 1000;
  MeasureRequest request;
  app.add_option("--inputs", file, "what was measured, a JSON file")->required();
  app.add_flag("--measure", measures, "measure on this machine and write --inputs");
  app.add_option("--model", request.model, "checkpoint directory");
  app.add_option("--data", request.data, "texts whose lengths are used");
  add_data_dir(app, request.data_dir);
  app.add_option("--scores", request.scores, "accuracies, as `headroom eval --json` prints them");
  app.add_option("--replicas", replicas, "servers behind the daily curve");
  app.add_option("--out", out, "file for the results, as JSON");
  return run_app(app, argc, argv, [&](bool json) {
    if (measures) {
      write_file_atomically(file, to_json(measure(request)).dump() + "\n");
      return;
    }
    const Json results =
        run_simulations(serving_inputs_from_json(parse_json(read_file(file, ErrorCode::bad_data),
                                                            ErrorCode::bad_data, file)),
                        replicas);
    if (!out.empty()) write_file_atomically(out, results.dump(1) + "\n");
    if (json) {
      print_json_line(results);
    } else {
      fmt::print("{}\n{}", markdown(arms_table(results.at("runs"))),
                 markdown(constants_table(results.at("constants"))));
    }
  });
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  return headroom::run(argc, argv);
}
