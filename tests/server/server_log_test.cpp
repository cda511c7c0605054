// Lines of the server's log.
#include "server/telemetry/log.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

std::string logged(bool json, const Json& facts) {
  char* buffer = nullptr;
  size_t size = 0;
  FILE* stream = open_memstream(&buffer, &size);
  ServerLog(stream, json).event("model_loaded", facts);
  std::fclose(stream);
  std::string text(buffer, size);
  free(buffer);
  return text;
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

TEST(Log, AValueCannotForgeAnotherLine) {
  for (const bool json : {false, true}) {
    const std::string line = logged(json, {{"target", "/x\n2026 ready\r\n\x1b[2J"}});
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace headroom
