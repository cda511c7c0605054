// Calls in, answers out, through real threads and a real engine.
#include "server/service/service.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <set>

#include "engine/session.h"
#include "server/test_service.h"

namespace headroom::server {
namespace {

using testing::Asked;
using testing::bagged_model;
using testing::expect_error;
using testing::Gate;
using testing::gated_model;
using testing::laddered_model;
using testing::letters_checkpoint;
using testing::letters_model;
using testing::linear_levels;
using testing::nobody;
using testing::one_worker;

Answer engine_answer(std::string_view text, double budget) {
  Session session(EngineModel::load(letters_checkpoint().path()));
  const Text input{text};
  return session.run(std::span(&input, 1), Budget{budget}).front();
}

TEST(Service, EveryRunnerIsWarmAtEveryBudgetBeforeTheFirstCall) {
  std::mutex mutex;
  std::map<int, std::multiset<double>> ran;  // by the runner's threads
  ServedModel model = laddered_model();      // its first rung, 0.25, lies below --min-budget here
  model.warm_up = model.tokenise({"a b"});
  model.make_runner = [&, inner = model.make_runner](int threads) {
    return [&mutex, &budgets = ran[threads], run = inner(threads)](
               std::span<const Tokens> inputs, double budget, std::optional<size_t> ladder) {
      const std::lock_guard lock(mutex);
      budgets.insert(budget);
      return run(inputs, budget, ladder);
    };
  };
  ServiceSettings settings;
  settings.workers = 2;
  settings.min_budget = 0.5;
  const Service service({model}, settings, nobody());
  std::set<double> expected = {0.25};
  const CostLevels levels = linear_levels(0.5);
  for (size_t level = 0; level < levels.count(); ++level) expected.insert(levels.budget(level));
  EXPECT_EQ(std::set(ran[2].begin(), ran[2].end()), expected) << "for the first text that is alone";
  EXPECT_EQ(ran[2].size(), expected.size());
  EXPECT_EQ(std::set(ran[1].begin(), ran[1].end()), expected);
  EXPECT_EQ(ran[1].size(), 2 * expected.size()) << "each of both workers";
}

TEST(Service, AnExactBudgetHasTheEnginesBits) {
  Service service({letters_model()}, one_worker(), nobody());
  const CallAnswer answer = Asked(service, {"a b c"}, {0.5, std::nullopt}).answer();
  const Answer expected = engine_answer("a b c", 0.5);
  ASSERT_EQ(answer.texts.size(), 1U);
  EXPECT_EQ(answer.texts[0].scores, expected.scores);
  EXPECT_EQ(static_cast<size_t>(answer.texts[0].label), expected.label);
  EXPECT_EQ(answer.texts[0].budget, 0.5);
  EXPECT_EQ(answer.texts[0].active_heads, expected.active_heads);
  EXPECT_EQ(answer.texts[0].active_ffn, 0.5);
  EXPECT_EQ(answer.texts[0].tokens, 5);
}

TEST(Service, AnswersComeInTheOrderOfTheCall) {
  ServiceSettings settings;
  settings.workers = 3;
  Service service({letters_model()}, settings, nobody());
  const std::vector<std::string> texts = {"a", "b c", "d e f", "g h i j", "k", "l m"};
  const CallAnswer answer = Asked(service, texts).answer();
  ASSERT_EQ(answer.texts.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(answer.texts[i].scores, engine_answer(texts[i], 1).scores) << texts[i];
  }
  EXPECT_GE(answer.queue_ms, 0);
  EXPECT_GT(answer.inference_ms, 0);
  EXPECT_GT(answer.predicted_ms, 0);
}

TEST(Service, PairsAreReadAsPairs) {
  Service service({letters_model()}, one_worker(), nobody());
  std::promise<CallOutcome> promise;
  service.submit({"letters", {{"a", "b"}}, {}, {}, "", 0},
                 [&](CallOutcome outcome) { promise.set_value(std::move(outcome)); });
  const auto answer = std::get<CallAnswer>(promise.get_future().get());
  EXPECT_EQ(answer.texts.at(0).tokens, 5) << "[CLS] a [SEP] b [SEP]";
}

TEST(Service, WithoutADeadlineTheServersBudgetIsSpent) {
  ServiceSettings settings = one_worker();
  settings.budget = 0.75;
  Service service({letters_model()}, settings, nobody());
  EXPECT_EQ(Asked(service, {"a"}).answer().texts[0].budget, 0.75);
  EXPECT_EQ(Asked(service, {"a"}, {1.0, std::nullopt}).answer().texts[0].budget, 1)
      << "a call may ask for more";
}

// Time stands still, so that only the table decides: ten tokens take 1 ms at budget 1.
TEST(Service, ATightDeadlineBuysASmallBudget) {
  Service service({letters_model()}, one_worker(), nobody(), [] { return 0.0; });
  const std::string ten_tokens = "a b c d e f g h";
  EXPECT_EQ(Asked(service, {ten_tokens}, {std::nullopt, 20}).answer().texts[0].budget, 1);
  EXPECT_EQ(Asked(service, {ten_tokens}, {std::nullopt, 0.7}).answer().texts[0].budget, 0.5);
  const CallRefused refused = Asked(service, {ten_tokens}, {std::nullopt, 0.1}).refused();
  EXPECT_EQ(refused.why, Refusal::deadline_unreachable);
}

TEST(Service, AnAutomaticCallClimbsTheLadder) {
  Service service({laddered_model()}, one_worker(), nobody());
  const CallAnswer answer = Asked(service, {"a b", "c"}, {{}, {}, true}).answer();
  for (const Answer& text : answer.texts) {
    EXPECT_EQ(text.rungs, (std::vector<double>{0.25, 1}));
    EXPECT_EQ(text.budget, 1.25);
  }
  EXPECT_EQ(answer.lowered, Lowered::nothing);
}

TEST(Service, ATightDeadlineLowersThresholdsAndSaysSo) {
  Service service({laddered_model()}, one_worker(), nobody(), [] { return 0.0; });
  // Five tokens take 0.625 ms on both rungs, 0.125 ms on the first; a quarter of the time is kept.
  const CallAnswer answer = Asked(service, {"a b c"}, {{}, 0.4, true}).answer();
  EXPECT_EQ(answer.texts.at(0).rungs, std::vector<double>{0.25});
  EXPECT_EQ(answer.lowered, Lowered::thresholds);
}

TEST(Service, CallsThatNameNoBudgetAreAutomaticWhereTheServerIs) {
  ServiceSettings settings = one_worker();
  settings.automatic = true;
  Service service({laddered_model()}, settings, nobody());
  EXPECT_FALSE(Asked(service, {"a"}).answer().texts.at(0).rungs.empty());
  EXPECT_TRUE(Asked(service, {"a"}, {0.5, {}}).answer().texts.at(0).rungs.empty());
}

TEST(Service, AChoiceWithAnUpperBoundFallsUnderLoadAndIsExactWithoutADeadline) {
  Service service({letters_model()}, one_worker(), nobody(), [] { return 0.0; });
  const std::vector<std::string> texts = {"a b c d e f g h"};  // 10 tokens: 1 ms at budget 1
  EXPECT_EQ(Asked(service, texts, {{}, {}, false, 0.25}).answer().texts[0].budget, 0.25);
  const CallAnswer relaxed = Asked(service, texts, {{}, 100, false, 0.25}).answer();
  EXPECT_EQ(relaxed.texts[0].budget, 0.25) << "no more, though there is time";
  EXPECT_EQ(relaxed.lowered, Lowered::nothing);
  const CallAnswer tight = Asked(service, texts, {{}, 0.2, false, 0.25}).answer();
  EXPECT_LT(tight.texts[0].budget, 0.25);
  EXPECT_EQ(tight.lowered, Lowered::budget);
}

TEST(Service, BudgetZeroAsksRungZeroAlone) {
  Service service({bagged_model()}, one_worker(), nobody());
  const CallAnswer answer = Asked(service, {"a b", "c"}, {0.0, 5}).answer();
  ASSERT_EQ(answer.texts.size(), 2U);
  for (const Answer& text : answer.texts) {
    EXPECT_EQ(text.budget, 0);
    EXPECT_EQ(text.label, 0U);
    EXPECT_EQ(text.active_heads, 0);
  }
  EXPECT_EQ(Asked(service, {"a"}, {0.5, {}}).answer().texts.at(0).budget, 0.5) << "beside others";
}

TEST(Service, BudgetZeroNeedsABag) {
  Service service({letters_model()}, one_worker(), nobody());
  expect_error(ErrorCode::usage, "headroom tune", [&] { Asked(service, {"a"}, {0.0, {}}); });
}

TEST(Service, AutoNeedsAPolicy) {
  Service service({letters_model()}, one_worker(), nobody());
  expect_error(ErrorCode::usage, "headroom tune", [&] { Asked(service, {"a"}, {{}, {}, true}); });
}

TEST(Service, AModelWithoutAPolicyRunsFlatBesideOneThatClimbs) {
  ServiceSettings settings = one_worker();
  settings.automatic = true;
  Service service({laddered_model(), letters_model("plain")}, settings, nobody());
  EXPECT_FALSE(Asked(service, {"a"}).answer().texts.at(0).rungs.empty());
  const Answer flat = Asked(service, {"a"}, {}, "plain").answer().texts.at(0);
  EXPECT_TRUE(flat.rungs.empty());
  EXPECT_EQ(flat.budget, 1);
}

TEST(Service, TheServersObjectiveIsTheDeadlineOfCallsThatNameNone) {
  ServiceSettings settings = one_worker();
  settings.slo_ms = 0.7;
  Service service({letters_model()}, settings, nobody(), [] { return 0.0; });
  EXPECT_EQ(Asked(service, {"a b c d e f g h"}).answer().texts[0].budget, 0.5);
}

TEST(Service, AFullQueueSaysSoAtOnce) {
  const auto gate = std::make_shared<Gate>();
  ServiceSettings settings = one_worker();
  settings.queue_limit = 1;
  Service service({gated_model(gate)}, settings, nobody());
  Asked running(service, {"a"});
  gate->wait_for_workers(1);
  Asked waiting(service, {"b"});
  EXPECT_EQ(service.live("letters").queue, 1);
  Asked refused(service, {"c"});
  ASSERT_TRUE(refused.done()) << "before submit() returns";
  const CallRefused outcome = refused.refused();
  EXPECT_EQ(outcome.why, Refusal::queue_full);
  EXPECT_GT(outcome.retry_after_seconds, 0);
  gate->open();
  EXPECT_EQ(running.answer().texts.size(), 1U);
  EXPECT_EQ(waiting.answer().texts.size(), 1U);
}

TEST(Service, WhatCannotBeAskedIsAnErrorAndLeavesNothing) {
  Service service({letters_model()}, one_worker(), nobody());
  expect_error(ErrorCode::bad_data, "UTF-8", [&] { Asked(service, {"\xff"}); });
  expect_error(ErrorCode::usage, "no text", [&] { Asked(service, {}); });
  expect_error(ErrorCode::usage, "latency_ms is 0", [&] { Asked(service, {"a"}, {{}, 0}); });
  expect_error(ErrorCode::usage, "latency_ms is nan", [&] { Asked(service, {"a"}, {{}, NAN}); });
  expect_error(ErrorCode::usage, "no model is named b", [&] { Asked(service, {"a"}, {}, "b"); });
  expect_error(ErrorCode::usage, "", [&] { Asked(service, {"a"}, {1.5, {}}); });
  EXPECT_EQ(service.live("letters").queue, 0);
}

TEST(Service, ImpossibleSettingsAreRefused) {
  const auto start = [](const ServiceSettings& settings) {
    Service service({letters_model()}, settings, nobody());
  };
  ServiceSettings settings = one_worker();
  settings.min_budget = 0.5;
  settings.budget = 0.25;
  expect_error(ErrorCode::usage, "above the usual one", [&] { start(settings); });
  settings = one_worker();
  settings.slo_ms = -1;
  expect_error(ErrorCode::usage, "objective is -1", [&] { start(settings); });
  settings = one_worker();
  settings.workers = -1;
  expect_error(ErrorCode::usage, "-1 workers", [&] { start(settings); });
  expect_error(ErrorCode::usage, "two models are named letters", [] {
    Service service({letters_model(), letters_model()}, one_worker(), nobody());
  });
}

TEST(Service, SeveralModelsAnswerByName) {
  Service service({letters_model("first"), letters_model("second")}, one_worker(), nobody());
  EXPECT_EQ(Asked(service, {"a"}, {}, "second").answer().texts.size(), 1U);
  EXPECT_EQ(service.live("second").answered, 1);
  EXPECT_EQ(service.live("first").answered, 0);
}

// Time moves only when told to, so what waits too long is known.
TEST(Service, TextsPastTheirDeadlineAreRefusedAndNotRun) {
  const auto now = std::make_shared<std::atomic<double>>(0);
  const auto gate = std::make_shared<Gate>();
  ServiceSettings settings = one_worker();
  settings.max_batch_tokens = 1;  // a text a batch
  Service service({gated_model(gate)}, settings, nobody(), [now] { return now->load(); });
  Asked running(service, {"a"});
  gate->wait_for_workers(1);
  Asked waiting(service, {"b", "c"}, {std::nullopt, 50});
  *now = 60;
  gate->open();
  EXPECT_EQ(running.answer().texts.size(), 1U);
  EXPECT_EQ(waiting.refused().why, Refusal::deadline_passed);
  EXPECT_EQ(service.live("letters").queue, 0);
}

TEST(Service, TimeBeforeSubmitCountsTowardsTheDeadline) {
  Service service({letters_model()}, one_worker(), nobody(), [] { return 1000.0; });
  const auto outcome_after = [&](double waited_ms) {
    std::promise<CallOutcome> promise;
    service.submit({"letters", {{"a"}}, {}, 20, "", waited_ms},
                   [&](CallOutcome outcome) { promise.set_value(std::move(outcome)); });
    return promise.get_future().get();
  };
  EXPECT_TRUE(std::holds_alternative<CallAnswer>(outcome_after(5)));
  const CallOutcome late = outcome_after(30);
  ASSERT_TRUE(std::holds_alternative<CallRefused>(late));
  const auto& refused = std::get<CallRefused>(late);
  EXPECT_EQ(refused.why, Refusal::deadline_passed) << "not the deadline's fault";
  EXPECT_GT(refused.retry_after_seconds, 0);
  EXPECT_EQ(refused.message,
            "the deadline of 20 ms passed before the request was read and planned, which took 30.0 "
            "ms");
}

TEST(Service, AFullQueueLetsGoOfThePatient) {
  const auto gate = std::make_shared<Gate>();
  ServiceSettings settings = one_worker();
  settings.queue_limit = 2;
  Service service({gated_model(gate)}, settings, nobody(), [] { return 0.0; });
  Asked running(service, {"a"});
  gate->wait_for_workers(1);
  Asked patient(service, {"b", "c"}, {std::nullopt, 5000});
  Asked hurried(service, {"d"}, {std::nullopt, 100});
  ASSERT_TRUE(patient.done()) << "the whole call, though one text had been enough";
  EXPECT_EQ(patient.refused().why, Refusal::queue_full);
  EXPECT_EQ(service.live("letters").queue, 1);
  gate->open();
  EXPECT_EQ(hurried.answer().texts.size(), 1U);
}

class RecordingObserver : public ServiceObserver {
 public:
  void call_accepted(const std::string&, const CallAccepted& call) noexcept override {
    accepted += call.texts;
  }
  void call_answered(const std::string&, const CallAnswered& call) noexcept override {
    answered += call.texts;
  }
  void call_refused(const std::string&, const CallRefused&, int64_t texts) noexcept override {
    ++refused;
    refused_texts += texts;
  }
  void budget_chosen(const std::string&, const BudgetChoice& choice) noexcept override {
    if (choice.reason == BudgetReason::exact) ++exact;
  }
  void batch_run(const std::string&, const BatchRun& batch) noexcept override {
    ran += batch.texts;
    given_up += batch.given_up;
  }

  std::atomic<int64_t> accepted = 0;
  std::atomic<int64_t> answered = 0;
  std::atomic<int64_t> refused = 0;
  std::atomic<int64_t> exact = 0;
  std::atomic<int64_t> refused_texts = 0;
  std::atomic<int64_t> ran = 0;
  std::atomic<double> given_up = 0;
};

TEST(Service, TellsItsObserverBeforeTheCall) {
  RecordingObserver observer;
  ServiceSettings settings = one_worker();
  settings.queue_limit = 4;
  Service service({letters_model()}, settings, observer);
  Asked(service, {"a", "b", "c"}).answer();
  EXPECT_EQ(observer.accepted, 3);
  EXPECT_EQ(observer.answered, 3);
  EXPECT_EQ(observer.ran, 3);
  EXPECT_GE(observer.exact, 1);
  Asked(service, {"a", "b", "c", "d", "e"}).refused();
  EXPECT_EQ(observer.refused, 1);
  EXPECT_EQ(observer.refused_texts, 5);
  Asked(service, {"a"}, {0.25}).answer();
  EXPECT_EQ(observer.given_up, 0) << "a small budget that the call named is all that it wanted";
}

}  // namespace
}  // namespace headroom::server
