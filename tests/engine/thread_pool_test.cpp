#include "engine/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "few_threads.h"
#include "support.h"

namespace headroom {
namespace {

TEST(ThreadPool, SharesEveryIndexOnceInPartsOfAtMostTheLargest) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const size_t count : {size_t{0}, size_t{1}, size_t{7}, size_t{1000}}) {
      std::vector<std::atomic<int>> times(count);
      std::atomic<size_t> longest = 0;
      pool.share(count, 32, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) ++times[i];
        if (end - begin > longest) longest = end - begin;
      });
      for (const std::atomic<int>& each : times) EXPECT_EQ(each, 1) << threads << " threads";
      EXPECT_LE(longest, 32U);
    }
  }
}

TEST(ThreadPool, RunsEveryIndexOnceJobAfterJob) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (int job = 0; job < 1000; ++job) {
      const int count = 1 + job % 7;
      std::vector<int> times(static_cast<size_t>(count));
      pool.for_each(count, [&](int index) { ++times[static_cast<size_t>(index)]; });
      EXPECT_EQ(times, std::vector<int>(static_cast<size_t>(count), 1)) << threads << " threads";
    }
  }
}

TEST(ThreadPool, AFailureReachesTheCallerAndTheNextCallWorks) {
  ThreadPool pool(3);
  testing::expect_error(ErrorCode::bad_data, "no", [&] {
    pool.share(100, 4, [](size_t begin, size_t) {
      if (begin > 20) throw Error(ErrorCode::bad_data, "work", "no");
    });
  });
  std::atomic<size_t> done = 0;
  pool.share(10, 4, [&](size_t begin, size_t end) { done += end - begin; });
  EXPECT_EQ(done, 10U);
}

TEST(ThreadPool, AThreadThatCannotStartIsAnErrorAndEndsTheOthers) {
  const testing::FewThreads few;
  testing::expect_error(ErrorCode::runtime, "of 1000", [] { ThreadPool pool(1000); });
}

TEST(ThreadPool, ChecksItsCount) {
  for (const int threads : {0, -1, ThreadPool::most_threads + 1}) {
    testing::expect_error(ErrorCode::usage, "expected 1 to 1024",
                          [&] { ThreadPool pool(threads); });
  }
}

}  // namespace
}  // namespace headroom
