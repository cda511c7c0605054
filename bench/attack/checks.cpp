#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include "attack/rows.h"
#include "attack/target.h"
#include "base/files/file.h"
#include "base/json.h"

namespace headroom::attack {
namespace {

const std::string question = post("/v1/classify", R"({"inputs":"Oil prices fell"})");

std::string ms(const Response& response) {
  return fmt::format("status {} in {:.0f} ms", response.status, 1000 * response.seconds);
}

// A finding about one status.
Finding status_finding(int row, std::string attack, int expected, const Response& response) {
  return {row, std::move(attack), fmt::format("status {}", expected),
          fmt::format("status {}", response.status), response.status == expected};
}

std::string mebibytes(int64_t kib) {
  return fmt::format("{} MiB", kib / 1024);
}

struct Pipe {
  Pipe() { held = pipe(ends) == 0; }
  ~Pipe() {
    close_reader();
    close(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_reader() {
    if (ends[0] >= 0) close(ends[0]);
    ends[0] = -1;
  }
  std::string drained() const {
    std::string text;
    char buffer[65'536];
    pollfd ready{ends[0], POLLIN, 0};
    while (poll(&ready, 1, 300) == 1) {
      const ssize_t count = read(ends[0], buffer, sizeof(buffer));
      if (count <= 0) break;
      text.append(buffer, static_cast<size_t>(count));
    }
    return text;
  }

  int ends[2] = {-1, -1};
  bool held = false;
};

std::string array_of(const std::string& value, size_t bytes) {
  std::string body = R"({"inputs":[)" + value;
  while (body.size() + value.size() + 3 < bytes) body += "," + value;
  return body + "]}";
}

}  // namespace

void attack_parser(const Setting& setting, const Report& report) {
  Target target(setting.program, setting.model, {});
  const Response slow = ask(target.port(), post("/v1/classify", array_of("{}", 1'999'990)), 200);
  report({1, "a body of 2 MB of {}", "refused within a second", ms(slow),
          slow.status >= 400 && slow.status < 500 && slow.seconds < 1});
  report(status_finding(1, "a POST as another origin's page sends it", 415,
                        ask(target.port(),
                            "POST /v1/classify HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                            "14\r\n\r\n{\"inputs\":\"x\"}")));
  const auto model = std::filesystem::path(setting.folder) / "many-objects";
  std::filesystem::copy(setting.model, model);
  std::string config = R"({"x":[{})";
  while (config.size() < 900'000) config += ",{}";
  write_file_atomically(model / "config.json", config + "]}");
  const auto start = std::chrono::steady_clock::now();
  const int code = exit_code({setting.program, "inspect", "--model", model.string()}, {}, 60);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  report({1, "a config.json of 0.9 MB of {}", "a bad model (4) within 2 s",
          fmt::format("exit code {} in {:.1f} s", code, taken.count()),
          code == 4 && taken.count() < 2});
}

void attack_log(const Setting& setting, const Report& report) {
  constexpr int requests = 3000;  // 527 filled a pipe
  const auto last_answer = [](int port) {
    const Client client(port);
    Response response;
    for (int i = 0; i < requests; ++i)
      response = client.ask(get("/v1/models?" + std::string(100, 'x')));
    return response;
  };
  {
    Pipe log;
    Target target(setting.program, setting.model, {"--log-requests"}, log.ends[1]);
    log.close_reader();
    const Response last = last_answer(target.port());
    report({5, "the log's reader is gone, 3,000 requests", "it lives and answers",
            target.alive() ? ms(last) : "it ended", target.alive() && last.status == 200});
  }
  Pipe log;
  Target target(setting.program, setting.model, {"--log-requests"}, log.ends[1]);
  const Response last = last_answer(target.port());
  report({5, "the log's reader stops reading, 3,000 requests", "it answers", ms(last),
          last.status == 200});
  const Response metrics = ask(target.port(), get("/metrics"));
  report({5, "lines that were dropped meanwhile", "/metrics counts them",
          metrics.holds("\nheadroom_log_lines_dropped_total ") ? "counted" : "not told",
          metrics.holds("\nheadroom_log_lines_dropped_total ")});
  target.send_signal(SIGTERM);
  const std::optional<int> code = target.wait(15);
  report({5, "SIGTERM while nobody reads the log", "exit code 0",
          code ? fmt::format("exit code {}", *code) : "still runs", code == 0});
  const bool secret = log.drained().find("xxxx") != std::string::npos;
  report({11, "query strings of requests", "not in the log",
          secret ? "in the log" : "not in the log", !secret});
}

void attack_options(const Setting& setting, const Report& report) {
  const auto starts = [&](const std::string& name, const std::vector<std::string>& options,
                          const std::vector<std::string>& environment) {
    std::vector<std::string> words = {setting.program, "serve",      "--port", "0",
                                      "--model",       setting.model};
    words.insert(words.end(), options.begin(), options.end());
    const int code = exit_code(words, environment, 10);
    report({7, name, "usage error (2)", code < 0 ? "serves" : fmt::format("exit code {}", code),
            code == 2});
  };
  starts("--api-key ''", {"--api-key", ""}, {});
  starts("an empty HEADROOM_API_KEY", {}, {"HEADROOM_API_KEY="});
  starts("--host ''", {"--host", ""}, {});
  const std::string manifest =
      read_file(std::filesystem::path(setting.manifests) / "headroom.yaml", ErrorCode::bad_data);
  const bool optional = manifest.find("optional: true") != std::string::npos;
  report({7, "the Kubernetes manifest", "requires the key's Secret",
          optional ? "optional" : "required", !optional});
}

void attack_memory(const Setting& setting, const Report& report) {
  {
    Target target(setting.program, setting.model, {});
    ask(target.port(), question);
    const int64_t before = target.memory_kib("VmHWM");
    const Response response =
        ask(target.port(), post("/v1/classify", array_of("[]", 1'999'990)), 60);
    const int64_t grown = target.memory_kib("VmHWM") - before;
    report({8, "a body of 2 MB of []", "costs at most 10 MiB",
            fmt::format("{}, {}", ms(response), mebibytes(grown)), grown <= 10 * 1024});
  }
  {
    Target target(setting.program, setting.model, {"--max-memory", "300M"});
    ask(target.port(), question);
    const int64_t before = target.memory_kib("VmRSS");
    {
      const std::string half =
          post("/v1/classify", array_of("\"x\"", 1'999'990)).substr(0, 1'900'000);
      std::vector<std::unique_ptr<Client>> clients;
      for (int i = 0; i < 300; ++i) {
        clients.push_back(std::make_unique<Client>(target.port(), 0.2));
        clients.back()->send(half);
      }
      const Response small = ask(target.port(), question);
      report({8, "300 half-sent bodies of 2 MB", "small requests are answered", ms(small),
              small.status == 200});
    }
    std::this_thread::sleep_for(std::chrono::seconds(3));
    const int64_t after = target.memory_kib("VmRSS") - before;
    report({8, "the same after their clients left", "at most 32 MiB remain", mebibytes(after),
            after <= 32 * 1024});
    std::vector<std::thread> burst;
    const std::string texts =
        post("/v1/classify", array_of("\"" + std::string(60'000, 'x') + "\"", 1'999'990));
    for (int i = 0; i < 16; ++i) {
      burst.emplace_back([&] {
        for (int j = 0; j < 3; ++j) ask(target.port(), texts, 20);
      });
    }
    for (std::thread& thread : burst) thread.join();
    const int64_t peak = target.memory_kib("VmHWM");
    report({8, "--max-memory 300M, then 48 bodies of 2 MB", "at most 300 MiB", mebibytes(peak),
            peak <= 300 * 1024});
  }
  Target target(setting.program, setting.model, {});
  ask(target.port(), question);
  target.limit(RLIMIT_AS, static_cast<uint64_t>(target.memory_kib("VmSize") + 24 * 1024) * 1024);
  std::vector<std::thread> burst;
  const std::string texts = post("/v1/classify", array_of("\"some words\"", 1'999'990));
  const std::string large =
      post("/v1/classify", array_of("\"" + std::string(60'000, 'x') + "\"", 1'999'990));
  for (int i = 0; i < 32; ++i) {
    burst.emplace_back([&] {
      for (int j = 0; j < 3; ++j) ask(target.port(), j % 2 == 0 ? texts : large, 10);
    });
  }
  for (std::thread& thread : burst) thread.join();
  const Response after = ask(target.port(), question);
  report({8, "a burst with 24 MiB of address space left", "it lives and answers",
          target.alive() ? ms(after) : "it ended", target.alive() && after.status == 200});
}

void attack_http(const Setting& setting, const Report& report) {
  Target target(setting.program, setting.model, {"--slo-ms", "20"});
  const int port = target.port();
  const std::string line = "GET /v2/health/live HTTP/1.1\r\n";
  report(status_finding(11, "Host of another (DNS rebinding)", 421,
                        ask(port, line + "Host: evil.example\r\n\r\n")));
  report(status_finding(11, "a folded header field", 400,
                        ask(port, line + "Host: localhost\r\nX: a\r\n b\r\n\r\n")));
  report(
      status_finding(11, "a folded Transfer-Encoding", 400,
                     ask(port,
                         "POST /v1/classify HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                         "application/json\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n")));
  report(status_finding(11, "an empty line before a request", 200,
                        ask(port, "\r\n" + get("/v2/health/live"))));
  report(
      status_finding(11, "HTTP/1.0 that expects 100-continue", 200,
                     ask(port,
                         "POST /v1/classify HTTP/1.0\r\nContent-Type: application/json\r\nExpect: "
                         "100-continue\r\nContent-Length: 14\r\n\r\n{\"inputs\":\"x\"}")));
  report(status_finding(11, "latency_ms that nothing can meet", 422,
                        ask(port, post("/v1/classify", R"({"inputs":"x","latency_ms":0.0001})"))));
  {
    target.limit(RLIMIT_NOFILE, 24);
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 60; ++i) clients.push_back(std::make_unique<Client>(port, 1));
    const Response probe = ask(port, get("/v2/health/live"), 3);
    clients.clear();
    const Response after = ask(port, get("/v2/health/live"), 3);
    report({11, "out of descriptors", "clients do not hang",
            fmt::format("{} among 60, {} after", ms(probe), ms(after)),
            probe.seconds < 2 && after.status == 200});
  }
  const Client idle(port);
  target.send_signal(SIGHUP);
  const std::optional<int> code = target.wait(1);
  report({11, "SIGHUP with nothing to read again", "it goes on",
          code ? fmt::format("exit code {}", *code) : "still runs", !code});
}

void attack_protocol(const Setting& setting, const Report& report) {
  Target target(setting.program, setting.model, {});
  const int port = target.port();
  const auto infer = [&](const std::string& more) {
    return ask(port,
               post("/v2/models/news/infer",
                    R"({"inputs":[{"name":"text","shape":[1],"datatype":"BYTES","data":["x"]}])" +
                        more + "}"));
  };
  report(status_finding(
      12, "parameters that clients send", 200,
      infer(
          R"(,"parameters":{"binary_data_output":false,"priority":0,"timeout":0,"sequence_id":1})")));
  const Response named = infer(R"(,"id":"")");
  report({12, "id \"\"", "is echoed", named.holds(R"("id":"")") ? "echoed" : "not echoed",
          named.holds(R"("id":"")")});
  report(status_finding(12, "null for optional fields", 200,
                        infer(R"(,"id":null,"parameters":null,"outputs":null)")));
  const Response metadata = ask(port, get("/v2/models/news"));
  report({12, "platform", "<project>_<format>",
          metadata.holds(R"("platform":"headroom_)") ? "so" : "another",
          metadata.holds(R"("platform":"headroom_)")});
  const Response absolute = ask(port, get("http://localhost/v2/models/none"));
  report({12, "an error for an absolute target under /v2", R"({"error":"..."})",
          absolute.holds(R"({"error":")") ? "so" : "another shape",
          absolute.holds(R"({"error":")")});
  const Response large = ask(port, get("/v2", "X: " + std::string(20'000, 'x') + "\r\n"));
  report({12, "431 under /v2", R"({"error":"..."})",
          fmt::format("status {}, {}", large.status,
                      large.holds(R"({"error":")") ? "so" : "another shape"),
          large.status == 431 && large.holds(R"({"error":")")});
  const Response version = ask(port, get("/v2/models/news/versions/7"));
  report({12, "an unknown version", "404 that names the version",
          fmt::format("status {}", version.status),
          version.status == 404 && version.holds("version")});
}

}  // namespace headroom::attack
