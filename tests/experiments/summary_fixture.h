// What tests of summaries share: a made-up run without arms, and "the page holds this".
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "base/json.h"
#include "experiments/record/record.h"

namespace headroom::testing {

// One seed of a model with two layers and two heads.
inline Json run_without_arms(const std::string& task, uint64_t seed) {
  return {{"task", task},
          {"seed", seed},
          {"date", "2026-01-02"},
          {"machine", {{"cpu", "a CPU"}, {"device", "cpu"}, {"torch", "1.13"}}},
          {"rows", {{"train", 10}, {"validation", 2}, {"test", 3}}},
          {"shape",
           {{"layers", 2},
            {"width", 8},
            {"heads", 2},
            {"ffn", 16},
            {"max_tokens", 9},
            {"vocabulary", 20},
            {"labels", 2}}}};
}

// Made-up JSON as the records that a summary reads.
inline experiments::Runs records(const std::vector<Json>& runs) {
  experiments::Runs read;
  for (const Json& run : runs) read.push_back(experiments::parse_record(run, "a run"));
  return read;
}

inline void expect_in(const std::string& page, std::initializer_list<const char*> fragments) {
  for (const char* fragment : fragments) {
    EXPECT_NE(page.find(fragment), std::string::npos) << fragment << "\n" << page;
  }
}

}  // namespace headroom::testing
