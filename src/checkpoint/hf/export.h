// A checkpoint at one budget as a Hugging Face folder: weights, labels, tokenizer files, card.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headroom {

// What an export says of a checkpoint's ladder that it has no place for.
inline constexpr const char* policy_stays_behind =
    "policy.json stays behind: --budget auto needs the checkpoint's other budgets, and answers are "
    "the "
    "model's alone";

struct HfExportReport {
  uint64_t bytes = 0;              // of model.safetensors
  std::string dtype;               // "float32", "float16" or "bfloat16"
  std::vector<std::string> notes;  // what Transformers will do differently, and what stays behind
};

enum class HfForm {
  // Only the units that the budget keeps; config.json says which (headroom.stored). For our loader.
  compact,
  // Every tensor at its full size, for any current Transformers: what the budget removes is zero
  // where it leaves its layer, so the logits are those of the engine at that budget.
  dense_equivalent,
};

// Throws ErrorCode::usage when `out` is the checkpoint itself or no checkpoint, for a budget that
// the model was not trained for, and when dense_equivalent is asked of a network that is no BERT:
// another attention, or a budget that leaves a layer without attention or FFN (BERT would still add
// and normalise there). Throws ErrorCode::bad_model when the checkpoint is damaged.
HfExportReport export_hf_folder(const std::filesystem::path& checkpoint, double budget, HfForm form,
                                const std::filesystem::path& out);

}  // namespace headroom
