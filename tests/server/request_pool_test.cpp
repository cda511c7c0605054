// Whose request is handled next, and who must wait.
#include "server/service/request_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "few_threads.h"
#include "support.h"

namespace headroom::server {
namespace {

// A job that says when it has begun and ends when it is told to.
class Held {
 public:
  RequestPool::Job job() {
    return [state = state_] {
      state->begun.set_value();
      state->let_go.get_future().wait();
    };
  }
  void wait_until_begun() { begun_.wait(); }
  bool has_begun() const {
    return begun_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  void let_go() { state_->let_go.set_value(); }

 private:
  struct State {
    std::promise<void> begun;
    std::promise<void> let_go;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::future<void> begun_ = state_->begun.get_future();
};

TEST(RequestPool, RunsWhatIsPosted) {
  RequestPool pool;
  std::promise<void> ran;
  ASSERT_TRUE(pool.post("a", 10, [&] { ran.set_value(); }));
  ran.get_future().wait();
}

TEST(RequestPool, OneClientDoesNotHaveAllThreads) {
  RequestPool pool({.threads = 2, .limit = 10});
  Held first;
  Held second;
  Held others;
  pool.post("hog", 2'000'000, first.job());
  pool.post("hog", 2'000'000, second.job());
  first.wait_until_begun();
  pool.post("other", 100, others.job());
  others.wait_until_begun();
  EXPECT_FALSE(second.has_begun());
  first.let_go();
  second.wait_until_begun();
  second.let_go();
  others.let_go();
}

TEST(RequestPool, ClientsTakeTurnsByBytes) {
  RequestPool pool({.threads = 2, .limit = 100});
  Held thread_one;
  Held thread_two;
  pool.post("x", 0, thread_one.job());
  pool.post("y", 0, thread_two.job());
  thread_one.wait_until_begun();
  thread_two.wait_until_begun();
  std::vector<std::string> order;
  std::promise<void> all;
  const auto note = [&](const std::string& name) {
    return [&order, &all, name] {
      order.push_back(name);  // one thread at a time: the other is held
      if (order.size() == 6) all.set_value();
    };
  };
  for (int i = 0; i < 3; ++i) pool.post("large", 50'000, note("large"));
  for (int i = 0; i < 3; ++i) pool.post("small", 100, note("small"));
  thread_one.let_go();
  all.get_future().wait();
  EXPECT_EQ(order,
            (std::vector<std::string>{"large", "small", "small", "small", "large", "large"}));
  thread_two.let_go();
}

TEST(RequestPool, LargeRequestsHaveAThreadOfTheirOwn) {
  RequestPool pool({.threads = 2, .limit = 10});
  Held small_one;
  Held small_two;
  Held large;
  Held next_large;
  pool.post("x", 100, small_one.job());
  pool.post("y", 100, small_two.job());
  pool.post("z", 2'000'000, large.job());
  small_one.wait_until_begun();
  small_two.wait_until_begun();
  large.wait_until_begun();
  small_one.let_go();
  pool.post("w", 2'000'000, next_large.job());
  Held small_three;
  pool.post("x", 100, small_three.job());
  small_three.wait_until_begun();
  EXPECT_FALSE(next_large.has_begun());
  large.let_go();
  next_large.wait_until_begun();
  next_large.let_go();
  small_two.let_go();
  small_three.let_go();
}

TEST(RequestPool, ASmallRequestRunsBesideTheLargeOneBeforeIt) {
  RequestPool pool({.threads = 3, .limit = 10});
  Held large;
  Held small;
  pool.post("x", 2'000'000, large.job());
  pool.post("x", 100, small.job());
  small.wait_until_begun();
  large.wait_until_begun();
  small.let_go();
  large.let_go();
}

TEST(RequestPool, WhatManyClientsPostIsAllRun) {
  constexpr int clients = 20;
  constexpr int each = 50;
  std::atomic<int> left = clients * each;
  std::promise<void> all;
  RequestPool pool({.threads = 4, .limit = clients * each});
  for (int i = 0; i < clients * each; ++i) {
    const size_t bytes = i % 7 == 0 ? 100'000 : 100;  // both shares, mixed
    ASSERT_TRUE(pool.post(std::to_string(i % clients), bytes, [&] {
      if (--left == 0) all.set_value();
    }));
  }
  all.get_future().wait();
}

TEST(RequestPool, AJobThatThrowsEndsNoThread) {
  RequestPool pool({.threads = 2, .limit = 10});
  pool.post("a", 10, [] { throw std::bad_alloc(); });
  pool.post("b", 10, [] { throw std::bad_alloc(); });
  std::promise<void> ran;
  pool.post("c", 10, [&] { ran.set_value(); });
  ran.get_future().wait();
}

TEST(RequestPool, AFullOneStillTakesAClientThatHasLittleWaiting) {
  RequestPool pool({.threads = 2, .limit = 2});
  Held running;
  pool.post("hog", 1, running.job());
  running.wait_until_begun();
  EXPECT_TRUE(pool.post("hog", 1, [] {}));
  EXPECT_TRUE(pool.post("hog", 1, [] {}));
  EXPECT_FALSE(pool.post("hog", 1, [] {}));
  std::promise<void> ran;  // on the thread that the hog may not have
  EXPECT_TRUE(pool.post("other", 1, [&] { ran.set_value(); }));
  ran.get_future().wait();
  running.let_go();
}

TEST(RequestPool, AThreadThatCannotStartIsAnErrorAndEndsTheOthers) {
  const headroom::testing::FewThreads few;
  RequestPoolSettings settings;
  settings.threads = 1000;
  headroom::testing::expect_error(ErrorCode::runtime, "of 1001 for requests",
                                  [&] { const RequestPool pool(settings); });
}

}  // namespace
}  // namespace headroom::server
