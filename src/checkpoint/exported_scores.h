// What an export at one budget makes of a checkpoint's scores: calibration goes into the last
// layer, and people are told what the other format has no place for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "budget/score_calibration.h"
#include "checkpoint/config.h"
#include "checkpoint/policy_file.h"

namespace headroom {

// What config.json's calibration and then the policy's temperature do at `budget`; `lexical` is the
// weight of BM25.
ScoreCalibration exported_calibration(const ModelConfig& config, const StoredPolicy& stored,
                                      double budget);

// Thresholds that readers of a label have to know, which stand `where`, and BM25 that stays
// behind.
std::vector<std::string> score_notes(const ModelConfig& config, const ScoreCalibration& at,
                                     std::string_view where);

}  // namespace headroom
