// `headroom serve` as a process: the bits of `predict`, several models, SIGTERM, wrong options.
#include <gtest/gtest.h>

#include <csignal>

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

TEST(Serve, WrongOptionsAreUsageErrors) {
  const std::string model = HEADROOM_SOURCE_DIR "/models/news-mini";
  expect_failure(run({"serve"}), 2, "--model is required");
  expect_failure(run({"serve", "--model", model, "--budget", "2"}), 2, "is not a budget");
  expect_failure(run({"serve", "--model", model, "--budget", "0.25", "--min-budget", "0.5"}), 2,
                 "--min-budget 0.5 is above --budget 0.25");
  expect_failure(run({"serve", "--model", model, "--slo-ms", "-1"}), 2, "--slo-ms");
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

TEST(Serve, DrainsOnSighup) {
  const CalibratedModel model;
  Served served({"--model", model.path()});
  const Outcome outcome = served.stop(SIGHUP);
  EXPECT_EQ(outcome.exit_code, 0) << transcript(outcome);
  expect_holds(outcome.err, "\"draining\"");
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
