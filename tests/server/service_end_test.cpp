// How calls end that do not get their answer, and how the service ends: nothing is lost, nothing is
// told twice.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/random.h"
#include "server/test_service.h"

namespace headroom::server {
namespace {

using std::chrono::milliseconds;
using testing::Asked;
using testing::Gate;
using testing::gated_model;
using testing::letters_model;
using testing::nobody;
using testing::one_worker;

TEST(ServiceEnd, AnAbandonedCallIsDroppedAndCounted) {
  const auto gate = std::make_shared<Gate>();
  Service service({gated_model(gate)}, one_worker(), nobody());
  Asked running(service, {"a"});
  gate->wait_for_workers(1);
  Asked waiting(service, {"b", "c"});
  waiting.abandon();
  ASSERT_TRUE(waiting.done()) << "nothing of it was under way";
  EXPECT_EQ(waiting.refused().why, Refusal::abandoned);
  EXPECT_EQ(service.live("letters").queue, 0);
  EXPECT_EQ(service.live("letters").abandoned, 1);
  gate->open();
  EXPECT_EQ(running.answer().texts.size(), 1U);
}

TEST(ServiceEnd, ACallThatIsPartlyUnderWayEndsWithItsBatch) {
  const auto gate = std::make_shared<Gate>();
  ServiceSettings settings = one_worker();
  settings.max_batch_tokens = 3;  // a text a batch
  Service service({gated_model(gate)}, settings, nobody());
  Asked call(service, {"a", "b"});
  gate->wait_for_workers(1);
  call.abandon();
  EXPECT_FALSE(call.done());
  gate->open();
  const CallRefused refused = call.refused();
  EXPECT_EQ(refused.why, Refusal::abandoned);
  ASSERT_EQ(refused.ran.size(), 1U) << "which has to be paid";
  EXPECT_EQ(refused.ran[0].tokens, 3);
}

TEST(ServiceEnd, AnAnswerThatCannotBeToldEndsNobodyElse) {
  Service service({letters_model()}, one_worker(), nobody());
  for (const bool standard : {true, false}) {
    service.submit({"letters", {{"a"}}, {}, {}, "a client"}, [standard](const CallOutcome&) {
      if (standard) throw std::bad_alloc();
      throw std::runtime_error("anything");
    });
    EXPECT_EQ(Asked(service, {"b"}).answer().texts.size(), 1U);
  }
  EXPECT_EQ(service.drain(milliseconds(10'000)).cut, 0);
}

TEST(ServiceEnd, AbandoningWhatIsDoneOrUnderWayChangesNothing) {
  const auto gate = std::make_shared<Gate>();
  Service service({gated_model(gate)}, one_worker(), nobody());
  Asked call(service, {"a"});
  gate->wait_for_workers(1);
  call.abandon();
  gate->open();
  EXPECT_EQ(call.answer().texts.size(), 1U);
  call.abandon();
  EXPECT_EQ(service.live("letters").abandoned, 0);
}

TEST(ServiceEnd, AnEngineThatThrowsFailsTheCallAndOnlyThat) {
  ServedModel model = letters_model();
  const auto broken = std::make_shared<std::atomic<bool>>(true);
  model.make_runner = [broken, inner = model.make_runner](int threads) {
    return [broken, run = inner(threads)](std::span<const Tokens> inputs, double budget,
                                          std::optional<size_t> ladder) {
      if (*broken) throw Error(ErrorCode::runtime, "multiply", "no memory left");
      return run(inputs, budget, ladder);
    };
  };
  Service service({model}, one_worker(), nobody());
  const CallRefused refused = Asked(service, {"a", "b", "c"}).refused();
  EXPECT_EQ(refused.why, Refusal::failed);
  EXPECT_EQ(refused.message, "multiply: no memory left");
  EXPECT_EQ(service.live("letters").queue, 0) << "the rest of the call is not worth running";
  *broken = false;
  EXPECT_EQ(Asked(service, {"a"}).answer().texts.size(), 1U);
}

TEST(ServiceEnd, DrainingFinishesWhatWasAcceptedAndRefusesTheRest) {
  Service service({letters_model()}, one_worker(), nobody());
  std::vector<std::unique_ptr<Asked>> calls(20);
  for (auto& call : calls) {
    call = std::make_unique<Asked>(service, std::vector<std::string>{"a", "b"});
  }
  const DrainReport report = service.drain(std::chrono::minutes(1));
  EXPECT_EQ(report.cut, 0);
  for (const auto& call : calls) {
    ASSERT_TRUE(call->done()) << "before drain() returns";
    EXPECT_EQ(call->answer().texts.size(), 2U);
  }
  EXPECT_FALSE(service.ready());
  EXPECT_EQ(Asked(service, {"a"}).refused().why, Refusal::draining);
  EXPECT_TRUE(service.live("letters").draining);
}

TEST(ServiceEnd, WhatDoesNotFinishInTimeIsCutAndCounted) {
  const auto gate = std::make_shared<Gate>();
  Service service({gated_model(gate)}, one_worker(), nobody());
  Asked running(service, {"a"});
  gate->wait_for_workers(1);
  Asked waiting(service, {"b"});
  Asked also_waiting(service, {"c", "d"});
  std::thread opener([&] {
    // Both were cut before the running one may end.
    EXPECT_EQ(waiting.refused().why, Refusal::draining);
    EXPECT_EQ(also_waiting.refused().why, Refusal::draining);
    gate->open();
  });
  const DrainReport report = service.drain(milliseconds(0));
  opener.join();
  EXPECT_EQ(report.cut, 2);
  EXPECT_EQ(report.finished, 1);
  EXPECT_EQ(running.answer().texts.size(), 1U);
}

TEST(ServiceEnd, DestructionTellsEveryCall) {
  const auto gate = std::make_shared<Gate>();
  std::vector<std::unique_ptr<Asked>> calls(5);
  {
    Service service({gated_model(gate)}, one_worker(), nobody());
    for (auto& call : calls) {
      call = std::make_unique<Asked>(service, std::vector<std::string>{"a"});
    }
    gate->open();
  }
  for (const auto& call : calls) {
    EXPECT_TRUE(call->done());
    call->abandon();  // long after the service
  }
}

// Many clients, some of whom go away, while the service stops: every call ends once. A second
// CallDone would throw out of a worker thread and end the program.
TEST(ServiceEnd, EveryCallEndsOnceHoweverManyThreadsPull) {
  constexpr int clients = 4;
  constexpr int calls_each = 200;
  std::atomic<int> ended = 0;
  ServiceSettings settings;
  settings.workers = 3;
  settings.slo_ms = 50;
  settings.queue_limit = 16;
  {
    Service service({letters_model("letters"), letters_model("others")}, settings, nobody());
    std::vector<std::thread> threads;
    threads.reserve(clients);
    for (int client = 0; client < clients; ++client) {
      threads.emplace_back([&, client] {
        Random random{static_cast<uint64_t>(client)};
        for (int i = 0; i < calls_each; ++i) {
          const Call call{random.below(2) == 0 ? "letters" : "others",
                          std::vector<Text>(1 + random.below(4), Text{"a b c"}),
                          std::nullopt,
                          random.below(2) == 0 ? std::optional(5.0) : std::nullopt,
                          std::to_string(client),
                          0};
          const Abandon abandon = service.submit(call, [&](const CallOutcome&) { ++ended; });
          if (random.below(3) == 0) abandon();
          if (random.below(20) == 0) service.live("letters");
        }
      });
    }
    for (size_t i = 1; i < threads.size(); ++i) threads[i].join();
    service.drain(milliseconds(1));  // the first client goes on asking
    threads[0].join();
  }
  EXPECT_EQ(ended, clients * calls_each);
}

}  // namespace
}  // namespace headroom::server
