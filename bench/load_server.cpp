// Measures a running server with labelled texts, one JSON line a result:
//   bench-load open        Poisson arrivals at a rate, whatever the server does
//   bench-load capacity    the highest such rate whose p99 meets the target and loses nothing
//   bench-load throughput  answers per second to clients that ask one request after the other
//   bench-load overhead    the time of one request at a time, over the engine alone
//   bench-load soak        open for hours; compares a sample of answers with the engine's
//   bench-load faults      clients that break off, crawl or send garbage
// scripts/bench-serving and scripts/soak-serving start servers and run it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <map>
#include <random>

#include "base/error.h"
#include "base/measure/interleaved.h"
#include "bench_program.h"
#include "data/load.h"
#include "engine/session.h"
#include "load_client.h"
#include "load_faults.h"
#include "load_report.h"
#include "load_soak.h"

namespace headroom {
namespace {

struct LoadOptions {
  int port = 8080;
  int connections = 128;
  double rate = 100;
  double seconds = 10;
  double slo_ms = 20;
  double budget = 0;  // 0: the server chooses
  uint64_t seed = 1;
  std::string data = "agnews:test";
  std::string data_dir = "data";
  std::string model;
  bool tls = false;
  std::string key;
  std::vector<std::string> checkpoints;  // NAME=DIR

  Transport transport() const { return tls ? Transport::tls : Transport::plain; }
  std::string header_fields() const {
    return key.empty() ? "" : "Authorization: Bearer " + key + "\r\n";
  }
};

std::vector<LoadRequest> requests_of(const TextDataset& rows, const LoadOptions& options,
                                     const std::string& members) {
  std::vector<LoadRequest> requests;
  for (const TextRow& row : rows.rows) {
    requests.push_back({classify_request(row.text, members, options.header_fields()),
                        rows.labels[static_cast<size_t>(row.label)]});
  }
  return requests;
}

std::vector<LoadRequest> load_requests(const LoadOptions& options) {
  const std::string members =
      options.budget > 0 ? fmt::format(",\"budget\":{}", options.budget) : "";
  return requests_of(load_text_dataset(options.data, options.data_dir), options, members);
}

LoadSummary run_open(LoadClient& client, const std::vector<LoadRequest>& requests,
                     const LoadOptions& options, double rate) {
  std::mt19937_64 random(options.seed);
  std::exponential_distribution<double> gap(rate);
  std::uniform_int_distribution<size_t> row(0, requests.size() - 1);
  std::vector<double> due;
  std::vector<size_t> order;
  for (double time = gap(random); time < options.seconds; time += gap(random)) {
    due.push_back(time);
    order.push_back(row(random));
  }
  return summarise(client.run(requests, order, due), options.slo_ms);
}

void print_result(const char* mode, const LoadOptions& options, double rate,
                  const LoadSummary& summary) {
  Json json;
  json["mode"] = mode;
  json["rate"] = rate;
  json["seconds"] = options.seconds;
  json["slo_ms"] = options.slo_ms;
  json["budget"] = options.budget > 0 ? Json(options.budget) : Json();
  json.update(to_json(summary));
  fmt::print("{}\n", json.dump());
  std::fflush(stdout);
}

bool sustained(const LoadSummary& summary, double slo_ms) {
  return summary.p99_ms <= slo_ms && summary.answered == summary.sent;
}

// The better of two runs: one stumble of the machine must not end the search.
LoadSummary run_twice(LoadClient& client, const std::vector<LoadRequest>& requests,
                      const LoadOptions& options, double rate) {
  const LoadSummary first = run_open(client, requests, options, rate);
  if (sustained(first, options.slo_ms)) return first;
  LoadOptions again = options;
  ++again.seed;
  const LoadSummary second = run_open(client, requests, again, rate);
  return sustained(second, options.slo_ms) ? second : first;
}

// Grows by a half until it fails, then halves the gap until it is 3 %.
void find_capacity(const LoadOptions& options) {
  const std::vector<LoadRequest> requests = load_requests(options);
  LoadClient client(options.port, options.connections, {.transport = options.transport()});
  double good = 0;
  LoadSummary best;
  double bad = 0;
  double rate = options.rate;
  while (bad == 0 || bad / std::max(good, 1.0) > 1.03) {
    const LoadSummary summary = run_twice(client, requests, options, rate);
    fmt::print(stderr, "rate {:.0f}: p99 {:.2f} ms, answered {} of {}\n", rate, summary.p99_ms,
               summary.answered, summary.sent);
    if (sustained(summary, options.slo_ms)) {
      good = rate;
      best = summary;
    } else {
      bad = rate;
    }
    if (bad > 0 && bad < 1) break;
    rate = bad == 0 ? good * 1.5 : (good + bad) / 2;
  }
  print_result("capacity", options, good, best);
}

// Answers per second to clients that ask one request after the other: what the server can do, also
// on a machine whose stumbles would end a search for a rate that it sustains.
void measure_throughput(const LoadOptions& options) {
  constexpr double more_than_any = 100'000;  // requests per second
  const std::vector<LoadRequest> requests = load_requests(options);
  LoadClient client(options.port, options.connections, {.transport = options.transport()});
  std::vector<size_t> order(static_cast<size_t>(more_than_any * options.seconds));
  for (size_t i = 0; i < order.size(); ++i) order[i] = i % requests.size();
  const std::vector<double> due(order.size(), 0.0);
  int64_t answered = 0;
  for (const LoadOutcome& outcome : client.run(requests, order, due, 10, options.seconds)) {
    if (outcome.status == 200) ++answered;
  }
  const Json json = {{"mode", "throughput"},
                     {"connections", options.connections},
                     {"seconds", options.seconds},
                     {"budget", options.budget > 0 ? Json(options.budget) : Json()},
                     {"answers_per_second", static_cast<double>(answered) / options.seconds}};
  fmt::print("{}\n", json.dump());
}

// What a request takes besides the engine: its time less what the server says its engine took for
// that very request, by the server's clock and by the client's, who waits for two more threads to
// wake up. The engine alone takes turns of 64 texts with the server and is shown beside it; the
// difference of the two medians is that of two threads' caches as well.
void measure_overhead(const LoadOptions& options) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t turn = 64;
  const double budget = options.budget > 0 ? options.budget : 1;
  LoadOptions exact = options;
  exact.budget = budget;
  const std::vector<LoadRequest> requests = load_requests(exact);
  const TextDataset rows = load_text_dataset(options.data, options.data_dir);
  Session session(EngineModel::load(options.model));
  LoadClient client(options.port, 1, {.transport = options.transport()});
  std::vector<double> engine_ms;
  std::vector<double> server_ms;
  std::vector<double> overhead_ms;
  std::vector<double> inside_ms;
  const auto stop = Clock::now() + std::chrono::duration<double>(options.seconds);
  for (size_t first = 0; Clock::now() < stop; first += turn) {
    for (size_t i = first; i < first + turn; ++i) {
      const Text input{rows.rows[i % rows.rows.size()].text};
      const auto started = Clock::now();
      session.run(std::span(&input, 1), Budget{budget});
      const std::chrono::duration<double, std::milli> taken = Clock::now() - started;
      engine_ms.push_back(taken.count());
    }
    for (size_t i = first; i < first + turn; ++i) {
      const LoadOutcome outcome = client.run(requests, {i % requests.size()}, {0}).front();
      if (outcome.status != 200) continue;
      server_ms.push_back(1000 * (outcome.done - outcome.sent));
      overhead_ms.push_back(server_ms.back() - outcome.inference_ms);
      inside_ms.push_back(outcome.total_ms - outcome.inference_ms);
    }
  }
  if (server_ms.empty()) throw Error(ErrorCode::runtime, "measure overhead", "no answer came");
  const Json json = {{"mode", "overhead"},
                     {"budget", budget},
                     {"requests", server_ms.size()},
                     {"engine_p50_ms", quantile(engine_ms, 0.5)},
                     {"server_p50_ms", quantile(server_ms, 0.5)},
                     {"overhead_in_server_p50_ms", quantile(inside_ms, 0.5)},
                     {"overhead_p50_ms", quantile(overhead_ms, 0.5)},
                     {"overhead_p90_ms", quantile(overhead_ms, 0.9)}};
  fmt::print("{}\n", json.dump());
}

// Every request has a deadline. The client keeps no more than the sums of a slice, between two of
// which it waits for the last answers.
void soak(const LoadOptions& options) {
  constexpr double slice_seconds = 10;
  std::map<std::string, std::filesystem::path> models;
  for (const std::string& text : options.checkpoints) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) {
      throw Error(ErrorCode::usage, "read options", "--checkpoint " + text + " is not NAME=DIR");
    }
    models[text.substr(0, equals)] = text.substr(equals + 1);
  }
  const TextDataset rows = load_text_dataset(options.data, options.data_dir);
  const std::vector<LoadRequest> requests =
      requests_of(rows, options, fmt::format(",\"latency_ms\":{}", options.slo_ms));
  AnswerSample sample;
  LoadClient client(
      options.port, options.connections,
      {.transport = options.transport(),
       .on_response = [&](size_t row, std::string_view response) { sample.offer(row, response); }});
  SoakTotals totals;
  LoadOptions slice = options;
  for (double left = options.seconds; left > 0; left -= slice_seconds) {
    slice.seconds = std::min(left, slice_seconds);
    totals.add(run_open(client, requests, slice, options.rate));
    ++slice.seed;
  }
  Json json = {{"mode", "soak"},
               {"rate", options.rate},
               {"seconds", options.seconds},
               {"slo_ms", options.slo_ms}};
  json.update(totals.to_json());
  json["sample"] = sample.compare(rows.rows, models);
  fmt::print("{}\n", json.dump());
}

void add_options(CLI::App& app, LoadOptions& options) {
  app.add_option("--port", options.port)->required();
  app.add_option("--connections", options.connections)->check(CLI::Range(1, 10'000));
  app.add_option("--rate", options.rate, "requests per second; capacity starts from it");
  app.add_option("--seconds", options.seconds, "of one run");
  app.add_option("--slo-ms", options.slo_ms);
  app.add_option("--budget", options.budget, "asked for in every request; 0: the server's choice");
  app.add_option("--seed", options.seed);
  app.add_option("--data", options.data);
  app.add_option("--data-dir", options.data_dir)->envname("HEADROOM_DATA");
  app.add_option("--model", options.model, "for overhead: the checkpoint that is served");
  app.add_flag("--tls", options.tls, "the server speaks TLS; its certificate is not checked");
  app.add_option("--key", options.key, "sent with every request")->envname("HEADROOM_API_KEY");
  app.add_option("--checkpoint", options.checkpoints,
                 "for soak, repeatable: NAME=DIR, what answers of this model must agree with");
}

int run(int argc, char** argv) {
  CLI::App app("Measures a running headroom server.");
  LoadOptions options;
  add_options(app, options);
  CLI::App* open = app.add_subcommand("open", "Poisson arrivals at --rate")->fallthrough();
  CLI::App* capacity = app.add_subcommand("capacity", "highest sustained rate")->fallthrough();
  CLI::App* throughput = app.add_subcommand("throughput", "of busy clients")->fallthrough();
  CLI::App* overhead = app.add_subcommand("overhead", "server over engine")->fallthrough();
  CLI::App* soaking = app.add_subcommand("soak", "open for hours, with deadlines")->fallthrough();
  app.add_subcommand("faults", "misbehaving clients")->fallthrough();
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  if (open->parsed()) {
    const std::vector<LoadRequest> requests = load_requests(options);
    LoadClient client(options.port, options.connections, {.transport = options.transport()});
    print_result("open", options, options.rate, run_open(client, requests, options, options.rate));
  } else if (capacity->parsed()) {
    find_capacity(options);
  } else if (throughput->parsed()) {
    measure_throughput(options);
  } else if (overhead->parsed()) {
    measure_overhead(options);
  } else if (soaking->parsed()) {
    soak(options);
  } else {
    const FaultSettings settings{options.port, options.transport(), options.header_fields()};
    fmt::print("{}\n", run_faults(settings, options.seconds, options.seed).dump());
  }
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  return headroom::run_program("bench-load", [&] { return headroom::run(argc, argv); });
}
