// precision.json beside a checkpoint's weights: which precision `calibrate` found to be the fastest
// on a machine among those whose answers agree with fp32's. One choice a machine; it is for the
// weights that it was made with.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/measure/cpu_kind.h"
#include "checkpoint/config.h"
#include "headroom/types.h"

namespace headroom {

struct PrecisionChoice {
  std::string machine;  // the CPU it was made on
  std::string date;
  Precision precision = Precision::fp32;
  // Beside fp32, on the inputs that were tried:
  int64_t inputs = 0;
  double agreement = 1;   // share of them with the same answer
  double difference = 0;  // the largest between two scores
  double speedup = 1;     // of one input at budget 1
};

Json to_json(const PrecisionChoice& choice);

// Nothing when nobody chose for this machine and these weights. Throws ErrorCode::bad_model when
// the file is damaged.
std::optional<PrecisionChoice> find_precision_choice(const std::filesystem::path& checkpoint,
                                                     const ModelConfig& config,
                                                     const std::string& machine,
                                                     const std::string& kind = cpu_kind());

// What --precision auto is: this machine's choice, or fp32.
Precision chosen_precision(const std::filesystem::path& checkpoint, const ModelConfig& config);

// Replaces the machine's choice, or adds it; that of another kind of CPU by the same name stays.
// Atomic.
void store_precision_choice(const std::filesystem::path& checkpoint, const ModelConfig& config,
                            const PrecisionChoice& choice, const std::string& kind = cpu_kind());

}  // namespace headroom
