// Why a model has no --budget auto, and what to do about it: every way to ask says the same.
#pragma once

#include <string_view>

#include "base/task.h"

namespace headroom {

// Of a model without a policy. Where models of the task can have one, how it gets it.
constexpr std::string_view why_no_auto(Task task) {
  if (classifies_text(task)) return "it has no policy: run headroom tune on it";
  if (task == Task::rerank) {
    return "a ranker needs no policy but all candidates of a query: ask rerank (/v1/rerank), or "
           "give a fraction";
  }
  return "when to stop is known for models that give texts one label: give a fraction or a latency";
}

// Likewise of budget 0, which a bag of n-grams answers.
constexpr std::string_view why_no_rung_zero(Task task) {
  return classifies_text(task)
             ? "it has no bag of n-grams: run headroom tune on it"
             : "bags of n-grams are for models that give texts one label: give a fraction above 0";
}

}  // namespace headroom
