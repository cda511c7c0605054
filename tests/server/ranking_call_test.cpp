// "budget":"auto" of rankings: two calls behind one request.
#include "server/api/ranking_call.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "server/fake_backend.h"

namespace headroom::server {
namespace {
using namespace testing;

class RankingCall : public ::testing::Test {
 protected:
  RankingCall() { backend_.mode = FakeBackend::Mode::later; }

  Abandon ask(size_t passages, bool automatic = true) {
    Call call;
    call.model = "news";
    call.automatic = automatic;
    for (size_t i = 0; i < passages; ++i) call.inputs.push_back({{static_cast<int32_t>(i)}});
    ApiRequest request;
    request.client = "somebody";
    request.key = key_;
    request.arrived = std::chrono::steady_clock::now();
    const auto format = [this](const CallAnswer& answer) {
      answer_ = answer;
      return json_response(Json::object());
    };
    return submit_ranking(backend_, backend_.models()[0], std::move(call), request, format,
                          [this](const HttpResponse& response) { status_ = response.status; });
  }

  static constexpr double tiny = 1e-9;  // a quota that does not come back while a test runs

  // What the key has paid, in texts of the full budget.
  double paid() const {
    const ServedModel& model = backend_.models()[0];
    const double a_text_s = model.table.estimate(1, 7).median_ms / 1000;
    return (tiny - key_->compute_seconds(steady_seconds())->left) / a_text_s;
  }
  static std::shared_ptr<KeyHolder> key() {
    KeyRules rules{"search", ""};
    rules.compute_seconds_per_minute = tiny;
    return std::make_shared<KeyHolder>(rules);
  }

  FakeBackend backend_;
  std::shared_ptr<KeyHolder> key_;
  CallAnswer answer_;
  int status_ = 0;
};

TEST_F(RankingCall, RunsTheBestAgainAtTheFullBudget) {
  ask(48);
  EXPECT_EQ(backend_.last_call.most, 0.25);
  EXPECT_EQ(backend_.last_call.inputs.size(), 48U);
  backend_.release_all();
  EXPECT_EQ(status_, 0) << "not yet";
  EXPECT_EQ(backend_.last_call.budget, 1);
  EXPECT_FALSE(backend_.last_call.automatic);
  EXPECT_EQ(backend_.last_call.client, "somebody");
  ASSERT_EQ(backend_.last_call.inputs.size(), 12U);
  EXPECT_EQ(backend_.last_call.inputs[11].ids[0], 11) << "equal scores keep their order";
  backend_.release_all();
  EXPECT_EQ(status_, 200);
  ASSERT_EQ(answer_.texts.size(), 48U);
  EXPECT_EQ(answer_.texts[11].budget, 1.25);
  EXPECT_EQ(answer_.texts[11].rungs, (std::vector{0.25, 1.0}));
  EXPECT_EQ(answer_.texts[12].budget, 0.25);
  EXPECT_EQ(answer_.queue_ms, 1) << "of both";
  EXPECT_EQ(answer_.lowered, Lowered::nothing);
}

TEST_F(RankingCall, IsOneCallWithFewPassagesOrABudget) {
  ask(10);
  EXPECT_EQ(backend_.last_call.most, 1);
  EXPECT_FALSE(backend_.last_call.automatic);
  backend_.release_all();
  EXPECT_EQ(status_, 200);
  ask(48, /*automatic=*/false);
  EXPECT_FALSE(backend_.last_call.budget);
  backend_.release_all();
  EXPECT_EQ(answer_.texts.size(), 48U);
}

TEST_F(RankingCall, AutoIsTheDefaultWhereItIsTheServers) {
  backend_.automatic_default = true;
  ask(48, /*automatic=*/false);
  EXPECT_EQ(backend_.last_call.most, 0.25);
  backend_.release_all();
  backend_.release_all();
  EXPECT_EQ(answer_.texts[0].rungs, (std::vector{0.25, 1.0}));
}

TEST_F(RankingCall, AnswersWithTheFirstRoundWhereTheSecondIsRefused) {
  ask(48);
  backend_.refusal = CallRefused{Refusal::overloaded, 1, "too much to do"};
  backend_.release_all();
  EXPECT_EQ(status_, 200);
  EXPECT_EQ(answer_.lowered, Lowered::budget);
  EXPECT_EQ(answer_.texts[0].rungs, std::vector{0.25});
}

TEST_F(RankingCall, MayBeLoweredInItsFirstRoundAndSaysSo) {
  ask(48);
  EXPECT_FALSE(backend_.last_call.budget) << "a smaller one is better than none";
  backend_.release_all();
  EXPECT_EQ(backend_.last_call.budget, 1) << "or the second round would be no better";
  backend_.release_all();
  backend_.lowered = Lowered::budget;
  ask(48);
  backend_.lowered = Lowered::nothing;
  backend_.release_all();
  backend_.release_all();
  EXPECT_EQ(answer_.lowered, Lowered::budget);
}

TEST_F(RankingCall, EachRoundIsPaidForAsItEnds) {
  const double first = 48 * backend_.models()[0].table.estimate(0.25, 7).median_ms /
                       backend_.models()[0].table.estimate(1, 7).median_ms;
  key_ = key();
  const Abandon abandon = ask(48);
  backend_.release_all();
  EXPECT_NEAR(paid(), first, 0.01) << "also by a client that leaves now";
  abandon();
  backend_.release_all();
  key_ = key();
  backend_.cached = true;
  ask(48);
  backend_.cached = false;
  backend_.release_all();
  EXPECT_NEAR(paid(), 0, 0.01);
  backend_.release_all();
  EXPECT_NEAR(paid(), 12, 0.01) << "passages whose first round was cached";
  EXPECT_EQ(std::count(answer_.cached.begin(), answer_.cached.end(), true), 36);
}

TEST_F(RankingCall, ThatCannotGoOnEndsAllTheSame) {
  ask(48);
  backend_.failure = Error(ErrorCode::runtime, "submit", "no thread");
  backend_.release_all();
  EXPECT_EQ(status_, 500);
}

TEST_F(RankingCall, TellsWhyAFirstRoundIsRefused) {
  backend_.refusal = CallRefused{Refusal::queue_full, 1, "the queue is full"};
  ask(48);
  EXPECT_EQ(status_, 429);
}

TEST_F(RankingCall, IsAbandonedInEitherRound) {
  const Abandon abandon = ask(48);
  abandon();
  EXPECT_TRUE(backend_.wait_for_abandoned(1));
  backend_.release_all();
  EXPECT_EQ(backend_.last_call.most, 0.25) << "no second round for a client that left";
  const Abandon second = ask(48);
  backend_.release_all();
  second();
  EXPECT_TRUE(backend_.wait_for_abandoned(2));
}

}  // namespace
}  // namespace headroom::server
