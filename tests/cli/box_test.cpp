// The finished models in models/, as they are: what their cards promise without training anything.
#include <gtest/gtest.h>

#include "cli/contract.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

constexpr const char* things = HEADROOM_SOURCE_DIR "/models/dbpedia-mini";

std::vector<Json> answers(const std::string& budget) {
  const std::string texts =
      "A small village in the hills of northern Portugal with 312 inhabitants\n"
      "A species of moth that was first described in 1903 and flies in June and July\n"
      "She is a Norwegian sprinter who ran the 400 metres at two Olympic Games\n"
      "Their third studio album was recorded in Berlin and released in 1987\n";
  const Outcome outcome = run({"predict", "--model", things, "--budget", budget, "--threads", "1",
                               "--precision", "fp32", "--json"},
                              {texts, {}});
  expect_success(outcome);
  return json_lines(outcome);
}

void expect_right(const std::vector<Json>& found) {
  const std::vector<std::string> labels = {"Village", "Animal", "Athlete", "Album"};
  ASSERT_EQ(found.size(), labels.size());
  for (size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(found[i]["label"], labels[i]);
}

TEST(ModelsInTheBox, AnswerAtEveryBudget) {
  for (const char* budget : {"0.125", "0.5", "1"}) expect_right(answers(budget));
}

TEST(ModelsInTheBox, GiveEachTextWhatItNeeds) {
  const std::vector<Json> found = answers("auto");
  expect_right(found);
  double spent = 0;
  for (const Json& answer : found) {
    EXPECT_EQ(answer["rungs"].at(0), 0.0);
    spent += answer["budget"].get<double>();
  }
  EXPECT_LT(spent, 4.0);
}

}  // namespace
}  // namespace headroom
