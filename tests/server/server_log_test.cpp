// Lines of the server's log.
#include "server/telemetry/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "server/telemetry/logged_metrics.h"

namespace headroom {
namespace {

std::string logged(bool json, const Json& facts) {
  FILE* file = std::tmpfile();
  ServerLog(fileno(file), json).event("model_loaded", facts);
  std::rewind(file);
  std::string text(10'000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

// A pipe whose reader takes what the test says.
class LogPipe : public ::testing::Test {
 protected:
  LogPipe() {
    std::signal(SIGPIPE, SIG_IGN);  // as `headroom serve` does
    EXPECT_EQ(pipe(ends_), 0);
  }
  ~LogPipe() override {
    stop_reading();
    close(ends_[1]);
  }
  void stop_reading() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }
  std::string read_until(const std::string& wanted) {
    std::string text;
    char buffer[65'536];
    while (text.find(wanted) == std::string::npos) {
      const ssize_t count = read(ends_[0], buffer, sizeof(buffer));
      if (count <= 0) break;
      text.append(buffer, static_cast<size_t>(count));
    }
    return text;
  }
  // More than the pipe and the log hold.
  static void write_megabytes(ServerLog& log) {
    const std::string filler(10'000, 'x');
    for (int i = 0; i < 500; ++i) log.event("request", {{"target", filler}});
  }

  int ends_[2] = {-1, -1};
};

TEST_F(LogPipe, AReaderThatStopsReadingDelaysNobodyAndIsToldWhatItMissed) {
  ServerLog log(ends_[1], false);
  write_megabytes(log);
  EXPECT_GT(log.dropped(), 0);
  const std::string text = read_until(" log_lines_dropped lines=");
  EXPECT_NE(text.find(" log_lines_dropped lines="), std::string::npos);
  stop_reading();
}

TEST_F(LogPipe, AReaderThatHasGoneIsNoHarm) {
  stop_reading();
  {
    ServerLog log(ends_[1], false);
    write_megabytes(log);
  }
  SUCCEED() << "neither a signal nor a wait without end";
}

TEST_F(LogPipe, EndsAlthoughNobodyReads) {
  {
    ServerLog log(ends_[1], false);
    write_megabytes(log);
  }
  EXPECT_NE(read_until("request").find("request"), std::string::npos);
}

TEST(Log, IsOneLineOfTimeNameAndFacts) {
  const std::string line = logged(false, {{"model", "news"}, {"budgets", 8}});
  EXPECT_TRUE(line.ends_with("Z model_loaded model=news budgets=8\n")) << line;
}

TEST(Log, IsJsonWhenAskedFor) {
  const Json line = Json::parse(logged(true, {{"model", "news"}}));
  EXPECT_EQ(line["event"], "model_loaded");
  EXPECT_EQ(line["model"], "news");
  EXPECT_TRUE(line.contains("time"));
}

TEST_F(LogPipe, RequestsAreLoggedWithoutTheirQuery) {
  ServerLog log(ends_[1], false);
  server::LoggedMetrics metrics({"news"}, log, /*every_request=*/true);
  HttpHead head;
  head.method = "GET";
  head.target = "/v1/plan?key=secret";
  metrics.request_done(head, {}, 0.001);
  const std::string line = read_until("\n");
  EXPECT_NE(line.find(" request method=GET target=/v1/plan status=200 "), std::string::npos)
      << line;
  EXPECT_EQ(line.find("secret"), std::string::npos);
}

TEST(Log, AValueCannotForgeAnotherLine) {
  for (const bool json : {false, true}) {
    const std::string line = logged(json, {{"target", "/x\n2026 ready\r\n\x1b[2J"}});
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace headroom
