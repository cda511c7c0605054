// Answers that are kept: which come back, which go, and that they have the same bits.
#include "server/service/answer_cache.h"

#include <gtest/gtest.h>

#include <map>

#include "server/test_service.h"

namespace headroom::server {
namespace {
using namespace testing;

Answer scored(double score) {
  Answer answer;
  answer.scores = {score};
  return answer;
}

TEST(AnswerCache, KeysTellApartAllThatAnAnswerDependsOn) {
  const Tokens tokens{{1, 2}, {0, 1}};
  const std::string key = AnswerCache::key(1, 0.5, {}, tokens);
  EXPECT_EQ(AnswerCache::key(1, 0.5, {}, {{1, 2}, {0, 1}}), key);
  EXPECT_NE(AnswerCache::key(2, 0.5, {}, tokens), key) << "the model";
  EXPECT_NE(AnswerCache::key(1, 0.25, {}, tokens), key) << "the budget";
  EXPECT_NE(AnswerCache::key(1, 0.5, 0, tokens), key) << "a ladder";
  EXPECT_NE(AnswerCache::key(1, 0.5, 1, tokens), AnswerCache::key(1, 0.5, 0, tokens));
  EXPECT_NE(AnswerCache::key(1, 0.5, {}, {{1, 2}}), key) << "the second text";
  EXPECT_NE(AnswerCache::key(1, 0.5, {}, {{1, 2, 0, 1}}), key);
  EXPECT_NE(AnswerCache::key(1, 0.5, {}, {{1, 2}, {0, 1}, true}), key) << "what was cut";
}

TEST(AnswerCache, TheLeastUsedGoesFirst) {
  AnswerCache sample(10'000);
  sample.store("a", scored(1));
  AnswerCache cache(2 * sample.bytes());
  cache.store("a", scored(1));
  cache.store("b", scored(2));
  EXPECT_EQ(cache.find("a")->scores, std::vector<double>{1});
  cache.store("c", scored(3));
  EXPECT_FALSE(cache.find("b"));
  EXPECT_TRUE(cache.find("a"));
  EXPECT_EQ(cache.find("c")->scores, std::vector<double>{3});
  EXPECT_EQ(cache.bytes(), 2 * sample.bytes());
}

TEST(AnswerCache, WhatIsTooLargeIsNotKept) {
  AnswerCache cache(1000);
  Answer answer;
  answer.embedding.resize(1000);
  cache.store("a", answer);
  EXPECT_FALSE(cache.find("a"));
  EXPECT_EQ(cache.bytes(), 0U);
}

// Counts what the engine is asked.
class CachedService : public ::testing::Test {
 protected:
  static ServedModel counted(ServedModel model, std::map<double, int>& texts) {
    model.make_runner = [&texts, inner = model.make_runner](int threads) {
      return [&texts, run = inner(threads)](std::span<const Tokens> inputs, double budget,
                                            std::optional<size_t> ladder) {
        texts[ladder ? -static_cast<double>(*ladder) : budget] += static_cast<int>(inputs.size());
        return run(inputs, budget, ladder);
      };
    };
    return model;
  }
  static ServiceSettings settings() {
    ServiceSettings settings = one_worker();
    settings.cache = std::make_shared<AnswerCache>(1'000'000);
    return settings;
  }
  int ran(double budget) { return ran_[budget]; }

  std::map<double, int> ran_;
};

TEST_F(CachedService, TheSameTextIsAnsweredWithTheSameBitsWithoutTheEngine) {
  Service service({counted(letters_model(), ran_)}, settings(), nobody());
  const CallAnswer first = Asked(service, {"a b", "c"}, {0.5}).answer();
  EXPECT_TRUE(first.cached.empty());
  const CallAnswer again = Asked(service, {"c", "d", "a b"}, {0.5}).answer();
  EXPECT_EQ(again.cached, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(again.texts[2].scores, first.texts[0].scores);
  EXPECT_EQ(again.texts[0].scores, first.texts[1].scores);
  EXPECT_EQ(ran(0.5), 3);
  EXPECT_EQ(Asked(service, {"c", "c"}, {0.5}).answer().texts[1].scores, first.texts[1].scores);
  EXPECT_EQ(ran(0.5), 3);
  EXPECT_EQ(service.live("letters").answered, 3);
  Asked(service, {"c"}, {0.25}).answer();
  EXPECT_EQ(ran(0.25), 1) << "another budget is another answer";
}

TEST_F(CachedService, ALoweredAnswerIsKeptUnderTheBudgetThatRan) {
  ServiceSettings lowering = settings();
  lowering.min_budget = 0.25;
  double now = 0;
  Service service({counted(letters_model(), ran_)}, lowering, nobody(), [&] { return now; });
  // Too little time for the whole model: the controller lowers.
  const double tight_ms = letters_model().table.estimate(0.5, 3).median_ms * 1.2;
  const CallAnswer lowered = Asked(service, {"a"}, {{}, tight_ms}).answer();
  ASSERT_LT(lowered.texts[0].budget, 1);
  const CallAnswer whole = Asked(service, {"a"}).answer();
  EXPECT_TRUE(whole.cached.empty());
  EXPECT_EQ(whole.texts[0].budget, 1);
  const CallAnswer better = Asked(service, {"a"}, {{}, tight_ms}).answer();
  EXPECT_EQ(better.texts[0].budget, 1) << "what is there costs no time";
  EXPECT_EQ(better.texts[0].scores, whole.texts[0].scores);
  EXPECT_EQ(better.lowered, Lowered::nothing);
}

TEST_F(CachedService, AnotherLoadOfTheModelIsAnotherModel) {
  const ServiceSettings shared = settings();
  const ServedModel model = counted(letters_model(), ran_);
  Service first({model}, shared, nobody());
  Asked(first, {"a"}, {1}).answer();
  Service same({model}, shared, nobody());
  EXPECT_FALSE(Asked(same, {"a"}, {1}).answer().cached.empty()) << "a model that stays";
  Service other({counted(letters_model(), ran_)}, shared, nobody());
  EXPECT_TRUE(Asked(other, {"a"}, {1}).answer().cached.empty());
}

TEST_F(CachedService, ADrainingServiceRefusesWhatItKnowsToo) {
  Service service({letters_model()}, settings(), nobody());
  Asked(service, {"a"}, {1}).answer();
  service.begin_drain();
  EXPECT_EQ(Asked(service, {"a"}, {1}).refused().why, Refusal::draining);
}

}  // namespace
}  // namespace headroom::server
