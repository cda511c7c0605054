// The command line's promises as sentences: "fails with this code and says that", "prints JSON
// lines only", "has these keys".
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "cli/process.h"

namespace headroom::testing {

inline std::string transcript(const Outcome& outcome) {
  return "stdout: " + outcome.out + "\nstderr: " + outcome.err;
}

inline void expect_holds(const std::string& text, std::string_view fragment) {
  EXPECT_NE(text.find(fragment), std::string::npos)
      << "text: " << text << "\nexpected it to hold: " << fragment;
}

inline void expect_success(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << transcript(outcome);
}

// The exit code, nothing on standard output, and a message on standard error.
inline void expect_failure(const Outcome& outcome, int exit_code, std::string_view fragment) {
  EXPECT_EQ(outcome.exit_code, exit_code) << transcript(outcome);
  EXPECT_EQ(outcome.out, "");
  expect_holds(outcome.err, fragment);
}

// Every line of standard output as JSON; a line that is something else fails the test.
inline std::vector<Json> json_lines(const Outcome& outcome) {
  std::vector<Json> lines;
  EXPECT_TRUE(outcome.out.empty() || outcome.out.back() == '\n') << transcript(outcome);
  std::istringstream input(outcome.out);
  for (std::string line; std::getline(input, line);) {
    lines.push_back(Json::parse(line, nullptr, /*allow_exceptions=*/false));
    EXPECT_TRUE(lines.back().is_object()) << "not a JSON object: " << line;
  }
  return lines;
}

inline Json only_json_line(const Outcome& outcome) {
  const std::vector<Json> lines = json_lines(outcome);
  EXPECT_EQ(lines.size(), 1U) << transcript(outcome);
  return lines.size() == 1 ? lines[0] : Json::object();
}

inline void expect_keys(const Json& object, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    EXPECT_TRUE(object.contains(key)) << key << " is missing in " << object.dump();
  }
}

// {"error":{"code","operation","message"}} alone on standard output, nothing on standard error.
inline void expect_json_error(const Outcome& outcome, int exit_code, std::string_view code,
                              std::string_view fragment) {
  EXPECT_EQ(outcome.exit_code, exit_code) << transcript(outcome);
  EXPECT_EQ(outcome.err, "");
  const Json line = only_json_line(outcome);
  ASSERT_TRUE(line.contains("error") && line.size() == 1) << transcript(outcome);
  const Json& error = line["error"];
  expect_keys(error, {"code", "operation", "message"});
  EXPECT_EQ(error.size(), 3U) << error.dump();
  EXPECT_EQ(error.value("code", ""), code);
  EXPECT_NE(error.value("operation", ""), "");
  expect_holds(error.value("message", ""), fragment);
}

}  // namespace headroom::testing
