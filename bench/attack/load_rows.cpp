#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <random>
#include <thread>

#include "attack/rows.h"
#include "attack/target.h"
#include "base/files/file.h"
#include "base/json.h"
#include "load_client.h"
#include "load_report.h"

namespace headroom::attack {
namespace {

constexpr double deadline_ms = 20;
constexpr double wanted_share = 0.99;
constexpr size_t body_bytes = 2'000'000;
const char* const honest_address = "127.0.0.2";
// Enough at any rate: with 32, 8,500 requests a second had to wait for one another as soon as
// answers took 4 ms.
constexpr int honest_connections = 256;

// As news are: 20 to 40 tokens.
std::vector<LoadRequest> honest_requests() {
  const std::vector<std::string> subjects = {
      "Oil prices fell for a third day as traders weighed rising inventories against ",
      "The goalkeeper saved two penalties in the final and dedicated the win to ",
      "Researchers presented a chip that runs language models on a fraction of ",
      "Ministers met in the capital to discuss a ceasefire and the return of "};
  const std::vector<std::string> objects = {
      "slowing demand in Asia and a stronger dollar, analysts said on Tuesday.",
      "the city where the club was founded more than a century ago.",
      "the power that data centres use today, the company announced.",
      "displaced families before winter, according to officials."};
  std::vector<LoadRequest> requests;
  for (const std::string& subject : subjects) {
    for (const std::string& object : objects) {
      requests.push_back({classify_request(subject + object, ""), ""});
    }
  }
  return requests;
}

LoadSummary honest_run(int port, double rate, double seconds) {
  static const std::vector<LoadRequest> requests = honest_requests();
  std::mt19937_64 random(1);
  std::exponential_distribution<double> gap(rate);
  std::vector<double> due;
  std::vector<size_t> order;
  for (double time = gap(random); time < seconds; time += gap(random)) {
    due.push_back(time);
    order.push_back(random() % requests.size());
  }
  LoadClient client(port, honest_connections, {.source = honest_address});
  return summarise(client.run(requests, order, due, /*patience=*/5), deadline_ms);
}

// The highest rate at which 99 % are in time.
double capacity(int port) {
  double good = 0;
  for (double rate = 40; rate < 20'000; rate *= 1.4) {
    if (honest_run(port, rate, 1.5).slo_attainment < wanted_share &&
        honest_run(port, rate, 1.5).slo_attainment < wanted_share) {
      break;
    }
    good = rate;
  }
  return good;
}

// Runs `attack` over and over on threads of its own while it lives.
class Attackers {
 public:
  Attackers(int threads, const std::function<void()>& attack) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, attack] {
        while (!stop_) attack();
      });
    }
  }
  ~Attackers() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Attackers(const Attackers&) = delete;
  Attackers& operator=(const Attackers&) = delete;

 private:
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

std::string many_objects() {
  std::string body = R"({"x":[{})";
  while (body.size() < body_bytes - 10) body += ",{}";
  return post("/v1/classify", body + "]}");
}

std::string one_long_text() {
  std::string text;
  while (text.size() < body_bytes - 100) text += "naïve words that go on and on ";
  return post("/v1/classify", Json({{"inputs", text}}).dump());
}

// 200 requests a second that ask for everything and have all the time of the world.
void ask_patiently(int port, double seconds) {
  const std::vector<LoadRequest> requests = {
      {classify_request(std::string(1200, 'a') + " patience", R"(,"budget":1,"latency_ms":600000)"),
       ""}};
  std::vector<double> due;
  for (double time = 0; time < seconds; time += 1.0 / 200) due.push_back(time);
  LoadClient client(port, 256);
  client.run(requests, std::vector<size_t>(due.size(), 0), due, /*patience=*/1);
}

Finding share_finding(int row, std::string attack, const LoadSummary& summary) {
  return {row, std::move(attack), "honest answers in 20 ms >= 99 %",
          fmt::format("{:.1f} % of {}, p99 {:.1f} ms, {} refused, {} lost",
                      100 * summary.slo_attainment, summary.sent, summary.p99_ms, summary.refused,
                      summary.lost),
          summary.slo_attainment >= wanted_share};
}

}  // namespace

void attack_beside_load(const Setting& setting, const Report& report) {
  Target target(setting.program, setting.model, {"--slo-ms", "20"});
  const double rate = capacity(target.port()) / 2;
  report(share_finding(0, fmt::format("none; {:.0f} requests/s, half of capacity", rate),
                       honest_run(target.port(), rate, setting.seconds)));

  const auto measure = [&](int row, const std::string& name) {
    report(share_finding(row, name, honest_run(target.port(), rate, setting.seconds)));
  };
  {
    const std::string bytes = many_objects();
    const Attackers attackers(1, [&] { ask(target.port(), bytes); });
    measure(1, "2 MB of {} in an array, one after the other");
  }
  {
    const Attackers attackers(1, [&] { ask_patiently(target.port(), setting.seconds); });
    measure(3, "a patient client: budget 1, latency_ms 600000, 200/s");
  }
  {
    const std::string bytes = one_long_text();
    const Attackers attackers(1, [&] { ask(target.port(), bytes); });
    measure(4, "texts of 2 MB, one after the other");
  }
  {
    std::vector<std::unique_ptr<Client>> idle;
    for (int i = 0; i < 1100; ++i) idle.push_back(std::make_unique<Client>(target.port()));
    const Response probe = ask(target.port(), get("/v2/health/live"), 2);
    report({6, "1,100 idle connections", "health is answered",
            fmt::format("status {} in {:.0f} ms", probe.status, 1000 * probe.seconds),
            probe.status == 200});
    measure(6, "1,100 idle connections");
  }
  target.send_signal(SIGTERM);
  const std::optional<int> code = target.wait(15);
  report({0, "SIGTERM after all that", "exit code 0",
          code ? fmt::format("exit code {}", *code) : "still runs", code == 0});
}

void attack_latency(const Setting& setting, const Report& report) {
  const auto with_times = [&](const std::string& name, double times) {
    const std::filesystem::path model = std::filesystem::path(setting.folder) / name;
    std::filesystem::copy(setting.model, model);
    Json json = Json::parse(read_file(model / "latency.json", ErrorCode::bad_model));
    for (Json& table : json["tables"]) {
      for (Json& cell : table["cells"]) {
        for (const char* key : {"median_ms", "p90_ms"}) {
          cell[key] = std::clamp(cell[key].get<double>() * times, 1e-9, 1e9);
        }
      }
    }
    write_file_atomically(model / "latency.json", json.dump());
    return model.string();
  };
  {
    Target target(setting.program, with_times("slow", 1e6), {"--slo-ms", "20"});
    const LoadSummary summary = honest_run(target.port(), 20, 3);
    report({9, "latency.json says a million times too much", "requests are answered",
            fmt::format("{} of {} answered", summary.answered, summary.sent),
            summary.answered >= summary.sent * 9 / 10});
  }
  // The table must not matter: the same load on a server with the right one says what is possible.
  const auto p99_ms = [&](const std::string& model, double rate) {
    const Target target(setting.program, model, {"--slo-ms", "20"});
    return honest_run(target.port(), rate, setting.seconds).p99_ms;
  };
  const double rate = [&] {
    const Target target(setting.program, setting.model, {"--slo-ms", "20"});
    return capacity(target.port());
  }();
  const double right = p99_ms(setting.model, rate);
  const double fooled = p99_ms(with_times("fast", 1e-9), rate);
  report({9, "latency.json says next to nothing, at capacity", "p99 as with the right table",
          fmt::format("p99 {:.0f} ms, with the right table {:.0f} ms", fooled, right),
          fooled <= 2 * right + 20});
}

}  // namespace headroom::attack
