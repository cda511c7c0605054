// /metrics as Prometheus reads it.
#include "server/telemetry/metrics.h"

#include <gtest/gtest.h>

namespace headroom::server {
namespace {

class MetricsText : public ::testing::Test {
 protected:
  void expect_line(const std::string& line) {
    const std::string text = metrics_.text();
    EXPECT_NE(text.find(line + "\n"), std::string::npos) << "no line " << line << " in\n" << text;
  }

  Metrics metrics_{{"news"}};
};

TEST_F(MetricsText, TellsHowManyLinesOfTheLogWereDropped) {
  metrics_.set_log_lines_dropped(3);
  metrics_.set_log_lines_dropped(5);
  expect_line("headroom_log_lines_dropped_total 5");
}

TEST_F(MetricsText, CountsWhatTheCacheHad) {
  metrics_.cache_asked("news", 2, 1);
  metrics_.cache_asked("news", 0, 1);
  metrics_.set_cache_bytes(1000);
  expect_line(R"(headroom_cache_hits_total{model="news"} 2)");
  expect_line(R"(headroom_cache_misses_total{model="news"} 2)");
  expect_line("headroom_cache_bytes 1000");
}

TEST_F(MetricsText, CountsResponsesByModelAndCode) {
  HttpResponse response;
  response.model = "news";
  metrics_.request_done({}, response, 0.003);
  response.status = 429;
  metrics_.request_done({}, response, 0.001);
  expect_line(R"(headroom_requests_total{code="200",model="news"} 1)");
  expect_line(R"(headroom_requests_total{code="429",model="news"} 1)");
  expect_line(R"(headroom_request_duration_seconds_count{model="news"} 1)");
  expect_line(R"(headroom_request_duration_seconds_bucket{model="news",le="0.005"} 1)");
}

TEST_F(MetricsText, MeasuresAnsweredCalls) {
  metrics_.call_answered("news", {.texts = 2,
                                  .tokens = 40,
                                  .lowest_budget = 0.5,
                                  .queue_ms = 4,
                                  .inference_ms = 2,
                                  .predicted_ms = 5,
                                  .total_ms = 6,
                                  .late = true});
  expect_line(R"(headroom_texts_total{model="news"} 2)");
  expect_line(R"(headroom_tokens_total{model="news"} 40)");
  expect_line(R"(headroom_late_total{model="news"} 1)");
  expect_line(R"(headroom_queue_duration_seconds_sum{model="news"} 0.004)");
  expect_line(R"(headroom_answer_budget_ratio_bucket{model="news",le="0.5"} 1)");
  expect_line(R"(headroom_answer_budget_ratio_bucket{model="news",le="0.375"} 0)");
}

TEST_F(MetricsText, TellsRefusalsFromClientsThatLeft) {
  metrics_.call_refused("news", {Refusal::queue_full, 1, ""}, 0);
  metrics_.call_refused("news", {Refusal::abandoned, 0, ""}, 1);
  expect_line(R"(headroom_refusals_total{model="news",reason="queue_full"} 1)");
  expect_line(R"(headroom_abandoned_total{model="news"} 1)");
}

TEST_F(MetricsText, CountsTheControllersChangesOnly) {
  metrics_.budget_chosen("news", {1, BudgetReason::full, 1, 1});
  metrics_.budget_chosen("news", {0.5, BudgetReason::queue, 9, 1.5});
  metrics_.budget_chosen("news", {0.125, BudgetReason::exact, 9, 1.5});
  metrics_.budget_chosen("news", {0.75, BudgetReason::load, 2, 1.25});
  expect_line(R"(headroom_budget_ratio{model="news"} 0.75)");
  expect_line(R"(headroom_correction_ratio{model="news"} 1.25)");
  expect_line(R"(headroom_controller_changes_total{direction="down",model="news"} 1)");
  expect_line(R"(headroom_controller_changes_total{direction="up",model="news"} 1)");
}

TEST_F(MetricsText, ThresholdsOfLaddersAreNoBudgets) {
  metrics_.budget_chosen("news", {1, BudgetReason::full, 1, 1, 7, false});
  metrics_.budget_chosen("news", {0.5, BudgetReason::queue, 9, 1, 3, true});
  metrics_.budget_chosen("news", {0.75, BudgetReason::load, 2, 1, 5, true});
  expect_line(R"(headroom_ladder_level{model="news"} 5)");
  expect_line(R"(headroom_threshold_changes_total{direction="down",model="news"} 1)");
  expect_line(R"(headroom_threshold_changes_total{direction="up",model="news"} 1)");
  expect_line(R"(headroom_budget_ratio{model="news"} 1)");
  expect_line(R"(headroom_controller_changes_total{direction="down",model="news"} 0)");
}

TEST_F(MetricsText, MeasuresBatches) {
  metrics_.batch_run("news", {3, 60, 0.5, 4, 5});
  expect_line(R"(headroom_batch_texts_bucket{model="news",le="4"} 1)");
  expect_line(R"(headroom_inference_duration_seconds_sum{model="news"} 0.005)");
  expect_line(R"(headroom_prediction_error_ratio_sum{model="news"} 1.25)");
}

TEST_F(MetricsText, TellsNothingOfModelsThatWent) {
  const auto tells_of = [&](const std::string& model) {
    return metrics_.text().find("\"" + model + "\"") != std::string::npos;
  };
  metrics_.add_model("mail");
  metrics_.budget_chosen("mail", {0.5, BudgetReason::queue, 9, 2});
  metrics_.call_refused("mail", {Refusal::queue_full, 1, ""}, 1);
  ASSERT_TRUE(tells_of("mail"));
  metrics_.tell_only({"news"});
  EXPECT_FALSE(tells_of("mail")) << metrics_.text();
  EXPECT_TRUE(tells_of("news"));
  metrics_.call_answered("mail", {.texts = 1});  // under way when its model went
  EXPECT_FALSE(tells_of("mail"));
  metrics_.add_model("mail");
  expect_line(R"(headroom_texts_total{model="mail"} 1)");
}

TEST_F(MetricsText, HasEveryNameFromTheStart) {
  metrics_.set_queue_length("news", 4);
  expect_line(R"(headroom_queue_length{model="news"} 4)");
  const std::string text = metrics_.text();
  for (const char* name : {"headroom_queue_duration_seconds", "headroom_abandoned_total",
                           "headroom_budget_ratio", "process_resident_memory_bytes"}) {
    EXPECT_NE(text.find("# TYPE " + std::string(name)), std::string::npos) << name;
  }
}

TEST_F(MetricsText, AModelNobodyKnowsChangesNothing) {
  metrics_.call_answered("other", {});
  metrics_.batch_run("other", {});
  EXPECT_EQ(metrics_.text().find("other"), std::string::npos);
}

TEST(Metrics, ModelsMayComeLater) {
  Metrics metrics({});
  metrics.add_model("news");
  metrics.add_model("news");
  metrics.call_answered("news", {});
  EXPECT_NE(metrics.text().find("headroom_late_total{model=\"news\"} 0\n"), std::string::npos);
}

}  // namespace
}  // namespace headroom::server
