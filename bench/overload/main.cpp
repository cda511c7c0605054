// Overload as a benchmark: traces, replayed open-loop at multiples of capacity against headroom
// with its controller, without it, and ONNX Runtime behind a plain queue. scripts/bench-overload
// runs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "attack/target.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/measure/machine.h"
#include "bench_program.h"
#include "data/load.h"
#include "engine/session.h"
#include "load_client.h"
#include "load_report.h"
#include "overload/arms.h"
#include "overload/page.h"
#include "overload/trace.h"

namespace headroom::overload {
namespace {

constexpr int connections = 512;
constexpr double grace_seconds = 2;  // after the trace, for what was due last

struct Options {
  ArmOptions arms;
  std::vector<std::string> only;  // arms to measure; empty: all
  std::vector<std::string> traces = {"bursts", "steady"};
  std::string commit = "unknown";
  std::string out = "docs/results";
  std::string data = "agnews:test";
  std::string data_dir = "data";
  double seconds = 10;
  std::vector<double> times = {1, 2, 3, 5};
  uint64_t seed = 1;
};

struct Requests {
  std::vector<LoadRequest> texts;
  std::vector<LoadRequest> ids;  // of the same rows
  std::vector<std::string> labels;
};

Requests load_requests(const Options& options) {
  const TextDataset rows = load_text_dataset(options.data, options.data_dir);
  const auto engine = EngineModel::load(options.arms.model);
  Requests requests{{}, {}, rows.labels};
  for (const TextRow& row : rows.rows) {
    const std::string& label = rows.labels[static_cast<size_t>(row.label)];
    requests.texts.push_back({classify_request(row.text, ""), label});
    const Json body = {{"ids", tokenise(*engine, {row.text}).ids}};
    requests.ids.push_back({attack::post("/", body.dump()), label});
  }
  return requests;
}

class Runner {
 public:
  Runner(const Options& options, Requests requests)
      : options_(options), requests_(std::move(requests)) {}

  // Answers a second when eight connections ask one request after the other.
  double capacity(const Arm& arm) const {
    const attack::Target target = started(arm);
    LoadClient client(target.port(), 8);
    const std::vector<LoadRequest>& requests = requests_of(arm);
    double rate = 0;
    for (const size_t count : {size_t{300}, size_t{1500}}) {  // the first to warm up
      std::vector<size_t> order(count);
      for (size_t i = 0; i < count; ++i) order[i] = i % requests.size();
      const LoadSummary summary = summarise(
          client.run(requests, order, std::vector<double>(count, 0)), options_.arms.deadline_ms);
      if (summary.answered != summary.sent) {
        throw Error(ErrorCode::runtime, "measure " + arm.name, "requests were not answered");
      }
      rate = summary.answers_per_second;
    }
    return rate;
  }

  Json run(const Arm& arm, const std::string& kind, double times, double rate) const {
    const attack::Target target = started(arm);
    LoadClient client(target.port(), connections);
    const std::vector<LoadRequest>& requests = requests_of(arm);
    client.run(requests, std::vector<size_t>(64, 0), std::vector<double>(64, 0));  // to warm up
    const Trace trace = make_trace(
        {rate, options_.seconds, options_.seed, requests.size(), /*bursts=*/kind == "bursts"});
    const std::vector<LoadOutcome> outcomes = client.run(
        requests, trace.order, trace.due, grace_seconds, options_.seconds + grace_seconds);
    Json json = {{"arm", arm.name}, {"trace", kind}, {"times", times}, {"wanted_rate", rate}};
    json.update(shares(outcomes));
    return json;
  }

 private:
  attack::Target started(const Arm& arm) const { return attack::Target(arm.words); }
  const std::vector<LoadRequest>& requests_of(const Arm& arm) const {
    return arm.peer ? requests_.ids : requests_.texts;
  }

  Json shares(const std::vector<LoadOutcome>& outcomes) const {
    const LoadSummary summary = summarise(outcomes, options_.arms.deadline_ms);
    const auto sent = static_cast<double>(summary.sent);
    const auto share = [&](const auto& holds) {
      return static_cast<double>(std::count_if(outcomes.begin(), outcomes.end(), holds)) / sent;
    };
    const auto in_time = [&](const LoadOutcome& one) {
      return one.status == 200 && 1000 * (one.done - one.due) <= options_.arms.deadline_ms;
    };
    Json json = {{"rate", sent / options_.seconds}};
    json["in_time"] = share(in_time);
    json["right_in_time"] =
        share([&](const LoadOutcome& one) { return in_time(one) && one.right; });
    // 422: not even an idle server could, as far as it knows.
    json["refused_share"] =
        share([](const LoadOutcome& one) { return one.status == 429 || one.status == 422; });
    // Those without an answer at the end among them.
    json["late"] = share([&](const LoadOutcome& one) {
      return one.status == 0 || (one.status == 200 && !in_time(one));
    });
    json.update(to_json(summary));
    return json;
  }

  const Options& options_;
  const Requests requests_;
};

// What all runs of one page have in common.
Json conditions(const Options& options) {
  Json json;
  json["machine"] = describe_machine();
  json["date"] = today();
  json["commit"] = options.commit;
  json["model"] = std::filesystem::path(options.arms.model).filename().string();
  json["deadline_ms"] = options.arms.deadline_ms;
  json["seconds"] = options.seconds;
  json["grace_seconds"] = grace_seconds;
  json["seed"] = options.seed;
  json["threads"] = options.arms.threads;
  return json;
}

// What was measured before under the same conditions, so that arms can be measured one by one.
Json begun(const Options& options) {
  const Json fresh = conditions(options);
  const std::filesystem::path file = std::filesystem::path(options.out) / "overload.json";
  if (!std::filesystem::exists(file)) return fresh;
  Json results =
      parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, file.string());
  for (const auto& [key, value] : fresh.items()) {
    if (key != "date" && results.value(key, Json()) != value) return fresh;
  }
  return results;
}

void keep(Json& results, Json run) {
  Json runs = Json::array();
  for (Json& known : results["runs"]) {
    const bool same = known.at("arm") == run.at("arm") && known.at("trace") == run.at("trace") &&
                      known.at("times") == run.at("times");
    if (!same) runs.push_back(std::move(known));
  }
  runs.push_back(std::move(run));
  results["runs"] = std::move(runs);
}

int measure(const Options& options) {
  Requests requests = load_requests(options);
  const std::vector<Arm> arms = arms_of(options.arms, requests.labels);
  const Runner runner(options, std::move(requests));
  Json results = begun(options);
  const auto capacity_of = [&](const char* server, const std::string& name) {
    const auto arm =
        std::find_if(arms.begin(), arms.end(), [&](const Arm& one) { return one.name == name; });
    Json& known = results["capacity"][server];
    if (arm != arms.end() && known.is_null()) known = runner.capacity(*arm);
    return known.is_null() ? 0.0 : known.get<double>();
  };
  const double ours = capacity_of("headroom", "fixed");
  const double theirs = capacity_of("onnxruntime", "onnxruntime");
  fmt::print(stderr, "capacity: ours {:.0f}, ONNX Runtime {:.0f} requests a second\n", ours,
             theirs);
  results["arms"] = Json::array();
  for (const Arm& arm : arms) {
    results["arms"].push_back({{"name", arm.name}, {"title", arm.title}, {"about", arm.about}});
  }
  const auto wanted = [&](const Arm& arm) {
    return options.only.empty() ||
           std::find(options.only.begin(), options.only.end(), arm.name) != options.only.end();
  };
  for (const std::string& trace : options.traces) {
    for (const double times : options.times) {
      for (const Arm& arm : arms) {
        if (!wanted(arm)) continue;
        const Json run = runner.run(arm, trace, times, times * (arm.peer ? theirs : ours));
        fmt::print(stderr,
                   "{:>12} {} {}x: in time {:.2f} % of all, {:.2f} % of answers, {:.2f} % refused, "
                   "accuracy {:.2f} %, client {:.1f} ms\n",
                   arm.name, trace, times, 100 * run["in_time"].get<double>(),
                   100 * in_time_of_answers(run), 100 * run["refused_share"].get<double>(),
                   100 * run["accuracy"].get<double>(), run["client_delay_p99_ms"].get<double>());
        keep(results, run);
      }
    }
  }
  const std::filesystem::path out = options.out;
  write_file_atomically(out / "overload.json", results.dump(1) + "\n");
  write_file_atomically(out / "overload.md", overload_page(results));
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app("What servers do when more is asked than they can.");
  Options options;
  ArmOptions& arms = options.arms;
  app.add_option("--server", arms.server, "build/bin/headroom")->required();
  app.add_option("--model", arms.model, "calibrated checkpoint")->required();
  app.add_option("--tuned", arms.tuned, "a copy of it with a ladder");
  app.add_option("--tuning", arms.tuning, "the command that fitted the ladder, for the page");
  app.add_option("--onnx", arms.onnx, "the same model as ONNX");
  app.add_option("--peer-server", arms.peer_server, "onnxruntime-server.js");
  app.add_option("--arms", options.only, "to measure; the others stay as OUT has them")
      ->delimiter(',');
  app.add_option("--traces", options.traces, "bursts, steady")
      ->delimiter(',')
      ->check(CLI::IsMember({"bursts", "steady"}));
  app.add_option("--out", options.out, "folder for overload.json and overload.md");
  app.add_option("--commit", options.commit, "that the programs were built from");
  app.add_option("--data", options.data);
  app.add_option("--data-dir", options.data_dir)->envname("HEADROOM_DATA");
  app.add_option("--seconds", options.seconds, "of the trace");
  app.add_option("--deadline-ms", arms.deadline_ms);
  app.add_option("--times", options.times, "loads, as multiples of capacity")->delimiter(',');
  app.add_option("--seed", options.seed);
  app.add_option("--threads", arms.threads, "workers, and sessions of ONNX Runtime");
  CLI11_PARSE(app, argc, argv);
  return measure(options);
}

}  // namespace
}  // namespace headroom::overload

int main(int argc, char** argv) {
  return headroom::run_program("bench-overload",
                               [&] { return headroom::overload::run(argc, argv); });
}
