// What a request costs besides its inference, on a connection that is kept: HTTP and JSON, and TLS.
// Two servers of the same model, one with TLS, are asked in turns, one request at a time.
//   bench-overhead --server build/bin/headroom --model DIR
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>

#include "attack/target.h"
#include "base/error.h"
#include "base/json.h"
#include "base/measure/interleaved.h"
#include "bench_program.h"
#include "server/raw_client.h"
#include "server/tls_peer.h"

namespace headroom {
namespace {

struct Options {
  std::string server;
  std::string model;
  std::string folder = ".";  // for the certificate
  double budget = 0.25;
  double seconds = 5;
};

struct Times {
  std::vector<double> round_trip_ms;
  std::vector<double> besides_ms;  // less the inference, by the client's clock
  std::vector<double> inside_ms;   // by the server's clock: request read to response written
};

template <typename Client>
double ask(Client& client, const std::string& request, Times& times) {
  const auto start = std::chrono::steady_clock::now();
  const testing::RawResponse response = client.exchange(request);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  if (response.status != 200) {
    throw Error(ErrorCode::runtime, "measure overhead", "the server answered " + response.body);
  }
  const Json body = response.json();
  const auto inference = body["inference_ms"].get<double>();
  times.round_trip_ms.push_back(taken.count());
  times.besides_ms.push_back(taken.count() - inference);
  times.inside_ms.push_back(body["total_ms"].get<double>() - inference);
  return times.besides_ms.back();
}

int measure(const Options& options) {
  const std::filesystem::path folder = options.folder;
  const std::string certificate = (folder / "certificate.pem").string();
  const std::string key = (folder / "key.pem").string();
  testing::write_certificate("localhost", certificate, key);
  const std::vector<std::string> one_thread = {"--threads", "1"};
  const attack::Target plain_server(options.server, options.model, one_thread);
  const attack::Target tls_server(options.server, options.model,
                                  {"--threads", "1", "--tls-cert", certificate, "--tls-key", key});
  testing::RawClient plain(plain_server.port());
  testing::TlsClient tls(tls_server.port());
  const Json body = {{"inputs", "Oil prices fell for a third day as traders weighed supply"},
                     {"budget", options.budget}};
  const std::string request = testing::post("/v1/classify", body.dump());
  Times warm;
  for (int i = 0; i < 200; ++i) {
    ask(plain, request, warm);
    ask(tls, request, warm);
  }
  Times plain_times;
  Times tls_times;
  std::vector<double> tls_more_ms;
  const auto stop =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
  while (std::chrono::steady_clock::now() < stop) {
    const double without = ask(plain, request, plain_times);
    tls_more_ms.push_back(ask(tls, request, tls_times) - without);
  }
  const Json json = {{"mode", "overhead"},
                     {"requests", plain_times.inside_ms.size()},
                     {"budget", options.budget},
                     {"http_json_p50_ms", quantile(plain_times.inside_ms, 0.5)},
                     {"http_json_p90_ms", quantile(plain_times.inside_ms, 0.9)},
                     {"http_json_by_client_p50_ms", quantile(plain_times.besides_ms, 0.5)},
                     {"tls_p50_ms", quantile(tls_more_ms, 0.5)},
                     {"round_trip_p50_ms", quantile(plain_times.round_trip_ms, 0.5)},
                     {"round_trip_with_tls_p50_ms", quantile(tls_times.round_trip_ms, 0.5)}};
  fmt::print("{}\n", json.dump());
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app("What a request costs besides its inference.");
  Options options;
  app.add_option("--server", options.server, "build/bin/headroom")->required();
  app.add_option("--model", options.model, "calibrated checkpoint")->required();
  app.add_option("--folder", options.folder, "where a certificate may be written");
  app.add_option("--budget", options.budget);
  app.add_option("--seconds", options.seconds);
  CLI11_PARSE(app, argc, argv);
  return measure(options);
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  return headroom::run_program("bench-overhead", [&] { return headroom::run(argc, argv); });
}
