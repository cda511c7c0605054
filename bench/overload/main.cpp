// Overload as a benchmark: one trace, replayed open-loop at multiples of capacity against headroom
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
#include "overload/page.h"
#include "overload/trace.h"

namespace headroom::overload {
namespace {

constexpr int connections = 512;
constexpr double grace_seconds = 2;  // after the trace, for what was due last

struct Options {
  std::string server;
  std::string model;
  std::string onnx;
  std::string peer_server;  // onnxruntime-server.js; empty: without ONNX Runtime
  std::string commit = "unknown";
  std::string out = "docs/results";
  std::string data = "agnews:test";
  std::string data_dir = "data";
  double seconds = 10;
  double deadline_ms = 20;
  std::vector<double> times = {1, 2, 3, 5};
  uint64_t seed = 1;
  int threads = 2;
};

struct Arm {
  std::string name;
  std::string title;
  std::string about;
  std::vector<std::string> words;  // that start it
  bool peer = false;
};

std::vector<std::string> served(const Options& options, const std::vector<std::string>& more) {
  std::vector<std::string> words = {options.server,
                                    "serve",
                                    "--json",
                                    "--port",
                                    "0",
                                    "--model",
                                    "news=" + options.model,
                                    "--threads",
                                    std::to_string(options.threads)};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<Arm> arms_of(const Options& options, const std::vector<std::string>& labels) {
  const std::string deadline = fmt::format("{}", options.deadline_ms);
  std::vector<Arm> arms = {
      {"controller", "headroom",
       fmt::format("`headroom serve --slo-ms {} --min-budget 0.125`: budgets give way before "
                   "anything is refused.",
                   deadline),
       served(options, {"--slo-ms", deadline, "--min-budget", "0.125"})},
      {"fixed", "Without the controller",
       "`headroom serve`: budget 1 for everybody, first come, first served, 512 texts may wait.",
       served(options, {})},
      {"refusing", "Refusing alone",
       fmt::format("`headroom serve --slo-ms {} --min-budget 1`: what would be late is refused, "
                   "budgets stay at 1.",
                   deadline),
       served(options, {"--slo-ms", deadline, "--min-budget", "1"})},
  };
  if (options.peer_server.empty()) return arms;
  Arm peer{
      "onnxruntime",
      "ONNX Runtime behind a queue",
      fmt::format("The same model at budget 1 in ONNX Runtime (fp32), {} sessions of one thread "
                  "behind a FIFO queue in Node "
                  "(`scripts/onnxruntime-server.js`). It gets token ids: its times have no "
                  "tokeniser in them.",
                  options.threads),
      {"/usr/bin/env", "node", options.peer_server, options.onnx, std::to_string(options.threads)},
      true};
  peer.words.insert(peer.words.end(), labels.begin(), labels.end());
  arms.push_back(std::move(peer));
  return arms;
}

struct Requests {
  std::vector<LoadRequest> texts;
  std::vector<LoadRequest> ids;  // of the same rows
  std::vector<std::string> labels;
};

Requests load_requests(const Options& options) {
  const TextDataset rows = load_text_dataset(options.data, options.data_dir);
  const auto engine = EngineModel::load(options.model);
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
          client.run(requests, order, std::vector<double>(count, 0)), options_.deadline_ms);
      if (summary.answered != summary.sent) {
        throw Error(ErrorCode::runtime, "measure " + arm.name, "requests were not answered");
      }
      rate = summary.answers_per_second;
    }
    return rate;
  }

  Json run(const Arm& arm, double times, double rate) const {
    const attack::Target target = started(arm);
    LoadClient client(target.port(), connections);
    const std::vector<LoadRequest>& requests = requests_of(arm);
    client.run(requests, std::vector<size_t>(64, 0), std::vector<double>(64, 0));  // to warm up
    const Trace trace = make_trace({rate, options_.seconds, options_.seed, requests.size()});
    const std::vector<LoadOutcome> outcomes = client.run(
        requests, trace.order, trace.due, grace_seconds, options_.seconds + grace_seconds);
    return result(arm, times, rate, outcomes);
  }

 private:
  attack::Target started(const Arm& arm) const { return attack::Target(arm.words); }
  const std::vector<LoadRequest>& requests_of(const Arm& arm) const {
    return arm.peer ? requests_.ids : requests_.texts;
  }

  Json result(const Arm& arm, double times, double rate,
              const std::vector<LoadOutcome>& outcomes) const {
    const LoadSummary summary = summarise(outcomes, options_.deadline_ms);
    const auto sent = static_cast<double>(summary.sent);
    const auto share = [&](const auto& holds) {
      return static_cast<double>(std::count_if(outcomes.begin(), outcomes.end(), holds)) / sent;
    };
    const auto in_time = [&](const LoadOutcome& one) {
      return one.status == 200 && 1000 * (one.done - one.due) <= options_.deadline_ms;
    };
    Json json = {{"arm", arm.name}, {"times", times}, {"rate", sent / options_.seconds}};
    json["wanted_rate"] = rate;
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

int measure(const Options& options) {
  Requests requests = load_requests(options);
  const std::vector<Arm> arms = arms_of(options, requests.labels);
  const Runner runner(options, std::move(requests));
  const auto find = [&](const std::string& name) {
    return std::find_if(arms.begin(), arms.end(), [&](const Arm& arm) { return arm.name == name; });
  };
  const double ours = runner.capacity(*find("fixed"));
  const auto peer = find("onnxruntime");
  const double theirs = peer == arms.end() ? 0 : runner.capacity(*peer);
  fmt::print(stderr, "capacity: ours {:.0f}, ONNX Runtime {:.0f} requests a second\n", ours,
             theirs);
  Json results;
  results["machine"] = describe_machine();
  results["date"] = today();
  results["commit"] = options.commit;
  results["model"] = std::filesystem::path(options.model).filename().string();
  results["deadline_ms"] = options.deadline_ms;
  results["seconds"] = options.seconds;
  results["grace_seconds"] = grace_seconds;
  results["seed"] = options.seed;
  results["threads"] = options.threads;
  results["capacity"] = {{"headroom", ours}, {"onnxruntime", theirs}};
  for (const Arm& arm : arms) {
    results["arms"].push_back({{"name", arm.name}, {"title", arm.title}, {"about", arm.about}});
  }
  for (const double times : options.times) {
    for (const Arm& arm : arms) {
      const Json run = runner.run(arm, times, times * (arm.peer ? theirs : ours));
      fmt::print(stderr, "{:>12} at {}x: {:.2f} % in time, {:.2f} % refused, accuracy {:.2f} %\n",
                 arm.name, times, 100 * run["in_time"].get<double>(),
                 100 * run["refused_share"].get<double>(), 100 * run["accuracy"].get<double>());
      results["runs"].push_back(run);
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
  app.add_option("--server", options.server, "build/bin/headroom")->required();
  app.add_option("--model", options.model, "calibrated checkpoint")->required();
  app.add_option("--onnx", options.onnx, "the same model as ONNX");
  app.add_option("--peer-server", options.peer_server, "onnxruntime-server.js");
  app.add_option("--out", options.out, "folder for overload.json and overload.md");
  app.add_option("--commit", options.commit, "that the programs were built from");
  app.add_option("--data", options.data);
  app.add_option("--data-dir", options.data_dir)->envname("HEADROOM_DATA");
  app.add_option("--seconds", options.seconds, "of the trace");
  app.add_option("--deadline-ms", options.deadline_ms);
  app.add_option("--times", options.times, "loads, as multiples of capacity")->delimiter(',');
  app.add_option("--seed", options.seed);
  app.add_option("--threads", options.threads, "workers, and sessions of ONNX Runtime");
  CLI11_PARSE(app, argc, argv);
  return measure(options);
}

}  // namespace
}  // namespace headroom::overload

int main(int argc, char** argv) {
  return headroom::run_program("bench-overload",
                               [&] { return headroom::overload::run(argc, argv); });
}
