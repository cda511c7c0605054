// `headroom serve` as a process: the bits of `predict`, several models, SIGTERM, wrong options.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <future>
#include <map>
#include <optional>

#include "cli/contract.h"
#include "server/raw_client.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

const std::vector<std::string> texts = {"Oil prices fell for a third day",
                                        "Goalkeeper saves two penalties in the final", "",
                                        "Ünïcödé and \"quotes\""};

// The model in the box, with a small latency table so that the server need not measure one.
class CalibratedModel {
 public:
  CalibratedModel() : path_(folder_.path() / "news") {
    std::filesystem::copy(HEADROOM_SOURCE_DIR "/models/news-mini", path_);
    run({"calibrate", "--model", path(), "--budgets", "0.25,1", "--tokens", "8", "--rounds", "5"});
  }
  std::string path() const { return path_.string(); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

// A server on a port of its own.
class Served {
 public:
  explicit Served(const Arguments& arguments, const ProcessInput& given = {})
      : process_(all(arguments), given) {
    EXPECT_TRUE(process_.wait_until(
        [&] { return process_.output_so_far().find('\n') != std::string::npos; }));
    const std::string line = process_.output_so_far();
    ready_ = Json::parse(line.substr(0, line.find('\n')), nullptr, /*allow_exceptions=*/false);
  }

  int port() const { return ready_.value("port", 0); }
  const Json& ready() const { return ready_; }
  Process& process() { return process_; }
  Outcome stop(int signal) {
    process_.send(signal);
    return process_.wait();
  }

 private:
  static Arguments all(const Arguments& arguments) {
    Arguments words = {"serve", "--port", "0", "--json", "--threads", "1"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  }

  Process process_;
  Json ready_;
};

Json predicted(const std::string& model, double budget) {
  std::string lines;
  for (const std::string& text : texts) lines += Json({{"text", text}}).dump() + "\n";
  Json answers = Json::array();
  for (const Json& line : json_lines(run({"predict", "--model", model, "--input", "jsonl", "--json",
                                          "--budget", std::to_string(budget)},
                                         {lines, {}}))) {
    answers.push_back(line);
  }
  return answers;
}

TEST(Serve, AnswersWithTheBitsOfPredict) {
  const CalibratedModel model;
  Served served({"--model", "news=" + model.path()});
  ASSERT_GT(served.port(), 0);
  RawClient client(served.port());
  for (const double budget : {1.0, 0.25}) {
    const Json expected = predicted(model.path(), budget);
    ASSERT_EQ(expected.size(), texts.size());
    const RawResponse plain =
        client.exchange(post("/v1/classify", Json({{"inputs", texts}, {"budget", budget}}).dump()));
    ASSERT_EQ(plain.status, 200) << plain.body;
    const RawResponse kserve =
        client.exchange(post("/v2/models/news/infer", Json({{"inputs",
                                                             {{{"name", "text"},
                                                               {"shape", {texts.size()}},
                                                               {"datatype", "BYTES"},
                                                               {"data", texts}}}},
                                                            {"parameters", {{"budget", budget}}}})
                                                          .dump()));
    ASSERT_EQ(kserve.status, 200) << kserve.body;
    const Json answers = plain.json()["answers"];
    const Json scores = kserve.json()["outputs"][1]["data"];
    for (size_t i = 0; i < texts.size(); ++i) {
      const Json& answer = answers[i];
      EXPECT_EQ(answer["label"], expected[i]["label"]) << texts[i];
      EXPECT_EQ(answer["scores"].dump(), expected[i]["scores"].dump()) << texts[i];
      EXPECT_EQ(scores[4 * i], expected[i]["scores"].front()) << texts[i];
      EXPECT_EQ(answer["tokens"], expected[i]["tokens"]) << texts[i];
    }
  }
}

TEST(Serve, TellsWhereItListensAndStopsOnSigterm) {
  const CalibratedModel model;
  Served served({"--model", model.path(), "--drain-seconds", "5"});
  EXPECT_EQ(served.ready()["models"], Json({"news"})) << "named after the directory";
  expect_holds(served.ready().value("listening", ""), "http://127.0.0.1:");
  RawClient client(served.port());
  EXPECT_EQ(client.exchange(get("/v2/health/ready")).status, 200);
  const Outcome outcome = served.stop(SIGTERM);
  EXPECT_EQ(outcome.exit_code, 0) << transcript(outcome);
  EXPECT_TRUE(client.closed_silently());
  for (const char* event : {"\"model_loaded\"", "\"draining\"", "\"stopped\""}) {
    expect_holds(outcome.err, event);
  }
}

TEST(Serve, SaysWhichModelsHaveNoAutomaticBudget) {
  const CalibratedModel model;
  Served served({"--model", model.path(), "--budget", "auto"});
  RawClient client(served.port());
  EXPECT_EQ(client.exchange(post("/v1/classify", R"({"inputs":"x"})")).status, 200);
  const Outcome outcome = served.stop(SIGTERM);
  expect_holds(outcome.err, "\"no_auto\"");
  expect_holds(outcome.err, "run headroom tune");
}

TEST(Serve, ServesSeveralModels) {
  const CalibratedModel model;
  Served served({"--model", "a=" + model.path(), "--model", "b=" + model.path()});
  RawClient client(served.port());
  EXPECT_EQ(client.exchange(post("/v1/classify", R"({"inputs":"x"})")).json()["model"], "a");
  EXPECT_EQ(client.exchange(post("/v1/classify", R"({"inputs":"x","model":"b"})")).json()["model"],
            "b");
  EXPECT_EQ(client.exchange(get("/v2/models/b/ready")).status, 200);
  expect_success(served.stop(SIGINT));
}

TEST(Serve, TheKeyMayComeFromTheEnvironment) {
  const CalibratedModel model;
  const Served served({"--model", model.path()}, {"", {{"HEADROOM_API_KEY", "secret"}}});
  RawClient client(served.port());
  EXPECT_EQ(client.exchange(get("/v1/models")).status, 401);
  EXPECT_EQ(client.exchange(get("/v1/models", "Authorization: Bearer secret\r\n")).status, 200);
}

TEST(Serve, AKeyHasTheRulesItWasMadeWith) {
  const CalibratedModel model;
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "keys.jsonl").string();
  const Outcome made = run({"key", "--file", file, "--name", "checkout", "--priority", "high",
                            "--requests-per-minute", "600", "--json"});
  const std::string key = only_json_line(made).value("key", "");
  expect_failure(run({"key", "--file", file, "--name", "x", "--priority", "urgent"}), 2,
                 "not one of high, normal, low");
  const Served served({"--model", model.path(), "--api-keys", file});
  RawClient client(served.port());
  const Json told = client.exchange(get("/v1/key", "Authorization: Bearer " + key + "\r\n")).json();
  EXPECT_EQ(told["name"], "checkout");
  EXPECT_EQ(told["priority"], "high");
  EXPECT_EQ(told["requests"]["left"], 600.0);
}

TEST(Serve, WrongOptionsAreUsageErrors) {
  const std::string model = HEADROOM_SOURCE_DIR "/models/news-mini";
  expect_failure(run({"serve"}), 2, "--model is required");
  expect_failure(run({"serve", "--model", model, "--budget", "2"}), 2, "is not a budget");
  expect_failure(run({"serve", "--model", model, "--budget", "0.25", "--min-budget", "0.5"}), 2,
                 "--min-budget 0.5 is above --budget 0.25");
  expect_failure(run({"serve", "--model", model, "--slo-ms", "-1"}), 2, "--slo-ms");
  expect_failure(run({"serve", "--model", model, "--model-control"}), 2, "needs --models");
  expect_failure(run({"serve", "--models", model, "--model-control"}), 2, "needs --admin-port");
  expect_failure(run({"serve", "--model", "a b=" + model}), 2, "\"a b\" is no name for a model");
}

TEST(Serve, NothingIsOpenThatOneMeantToClose) {
  const std::string model = HEADROOM_SOURCE_DIR "/models/news-mini";
  expect_failure(run({"serve", "--model", model, "--api-key", ""}), 2,
                 "is empty; leave the option out");
  expect_failure(run({"serve", "--model", model}, {"", {{"HEADROOM_API_KEY", ""}}}), 2,
                 "HEADROOM_API_KEY is set but empty; unset it to serve without a key");
  expect_failure(run({"serve", "--model", model, "--host", ""}), 2, "is empty");
}

TEST(Serve, GoesOnAfterSighupWithNothingToReadAgain) {
  const CalibratedModel model;
  Served served({"--model", model.path()}, {.own_session = true});
  served.process().send(SIGHUP);
  EXPECT_TRUE(served.process().wait_until([&] {
    return served.process().log_so_far().find("\"nothing_to_reload\"") != std::string::npos;
  }));
  RawClient client(served.port());
  EXPECT_EQ(client.exchange(get("/v2/health/ready")).status, 200);
  expect_success(served.stop(SIGTERM));
}

TEST(Serve, DrainsWhenItsTerminalCloses) {
  const CalibratedModel model;
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_TRUE(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  Served served({"--model", model.path()}, {.own_session = true, .terminal = ptsname(terminal)});
  close(terminal);
  const Outcome outcome = served.process().wait();
  EXPECT_EQ(outcome.exit_code, 0) << transcript(outcome);
  expect_holds(outcome.err, "\"draining\"");
}

// A folder of models with version 1 of news, and a server of it.
class ServedFolder {
 public:
  explicit ServedFolder(Arguments more = {}) {
    store_version("1");
    const Arguments words = {"--models", path().string(), "--model-control", "--admin-port", "0"};
    more.insert(more.begin(), words.begin(), words.end());
    served_.emplace(more);
    const std::string admin = served_->ready().value("admin", ":0");
    admin_port_ = std::stoi(admin.substr(admin.rfind(':') + 1));
  }

  void store_version(const std::string& version) {
    std::filesystem::create_directories(path() / "news");
    std::filesystem::copy(model_.path(), path() / ".staged");
    std::filesystem::rename(path() / ".staged", path() / "news" / version);
  }
  std::filesystem::path path() const { return folder_.path(); }
  Served& server() { return *served_; }
  int port() const { return served_->port(); }
  RawResponse change(const std::string& what, const std::string& body = "{}") const {
    return RawClient(admin_port_).exchange(post("/v2/repository/models/" + what, body));
  }

 private:
  CalibratedModel model_;
  TemporaryFolder folder_;
  std::optional<Served> served_;
  int admin_port_ = 0;
};

TEST(Serve, ANewVersionTakesOverWithoutALostRequest) {
  ServedFolder folder;
  folder.store_version("2");
  std::atomic<bool> enough = false;
  auto asking = std::async(std::launch::async, [&] {
    RawClient client(folder.port());
    std::map<std::string, int> models;
    while (!enough) {
      const RawResponse response = client.exchange(
          post("/v1/classify", R"({"inputs":"Oil prices fell","model":"news","budget":1})"));
      if (response.status != 200) return std::map<std::string, int>{{response.body, 1}};
      ++models[response.json()["model"]];
    }
    return models;
  });
  const RawResponse canary = folder.change("news/load", R"({"parameters":{"weight":0.5}})");
  EXPECT_EQ(canary.status, 200) << canary.body;
  EXPECT_EQ(folder.change("news/load", R"({"parameters":{"version":"1"}})").status, 200);
  const RawResponse loaded = folder.change("news/load");
  EXPECT_EQ(loaded.status, 200) << loaded.body;
  enough = true;
  for (const auto& [model, count] : asking.get()) {
    EXPECT_TRUE(model == "news@1" || model == "news@2") << model;
  }
  RawClient client(folder.port());
  EXPECT_EQ(client.exchange(post("/v1/classify", R"({"inputs":"x"})")).json()["model"], "news@2");
  EXPECT_EQ(client.exchange(post("/v2/repository/index", "{}")).status, 403) << "not for clients";
  expect_success(folder.server().stop(SIGTERM));
}

TEST(Serve, WhatDoesNotFitIsRefusedWithItsNumbers) {
  ServedFolder folder({"--max-memory", "300M"});
  folder.store_version("2");
  const RawResponse refused = folder.change("news/load");
  EXPECT_EQ(refused.status, 503);
  expect_holds(refused.body, "news@2 takes ");
  expect_holds(refused.body, "of --max-memory 300.0 MiB only ");
  RawClient client(folder.port());
  EXPECT_EQ(client.exchange(post("/v1/classify", R"({"inputs":"x"})")).json()["model"], "news@1");
}

TEST(Serve, OnLoopbackItIsCalledByItsOwnNamesOnly) {
  const CalibratedModel model;
  Served served({"--model", model.path(), "--allowed-host", "news.example"});
  const auto status = [&](const std::string& host) {
    return RawClient(served.port())
        .exchange("GET /v1/models HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
        .status;
  };
  EXPECT_EQ(status("localhost:80"), 200);
  EXPECT_EQ(status("news.example"), 200);
  EXPECT_EQ(status("rebound.example"), 421);
}

TEST(Serve, AMissingModelIsABadModel) {
  const Outcome outcome = run({"serve", "--model", "nowhere", "--json"});
  EXPECT_EQ(outcome.exit_code, 4) << transcript(outcome);
  EXPECT_EQ(only_json_line(outcome)["error"]["code"], "bad_model");
}

TEST(Serve, APortThatIsTakenIsARunTimeError) {
  const CalibratedModel model;
  const Served first({"--model", model.path()});
  const Outcome second =
      run({"serve", "--model", model.path(), "--port", std::to_string(first.port())});
  EXPECT_EQ(second.exit_code, 1) << transcript(second);
  expect_holds(second.err, "in use");
}

}  // namespace
}  // namespace headroom
