// What pretraining teaches an encoder.
#pragma once

#include "base/enum_table.h"

namespace headroom {

enum class PretrainObjective {
  masked,    // train/pretraining/masked_lm.h
  replaced,  // train/pretraining/replaced_tokens.h
};

inline constexpr auto pretrain_objective_table = enum_table<PretrainObjective>(
    "objective", {{PretrainObjective::masked, "masked", "predict hidden tokens"},
                  {PretrainObjective::replaced, "replaced", "find tokens that were replaced"}});
constexpr const auto& table_of(PretrainObjective) {
  return pretrain_objective_table;
}

}  // namespace headroom
