/// \file
/// What goes into a model and what comes out: the same types from the C++ API down to the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace headroom {

/// How much an answer may cost.
struct Budget {
  double fraction = 1.0;  ///< of the full model's compute, in (0, 1]
  /// Instead of the fraction: the largest budget that `headroom calibrate` found to answer a text
  /// of this length in so many milliseconds, nine times in ten, on this machine.
  std::optional<double> latency_ms = std::nullopt;
};

/// What numbers the engine multiplies. Sums, softmax and normalisation are always fp32.
enum class Precision {
  fp32,  ///< single precision, the reference
  bf16,  ///< bfloat16 products, half the memory; faster on CPUs with AVX512_BF16
  int8,  ///< products of bytes, a quarter of the memory; faster on CPUs with AVX512_VNNI
};

/// A text, or a pair of texts for a model that compares two. Not copied: must live during the call.
struct Text {
  std::string_view text;                                ///< UTF-8
  std::optional<std::string_view> pair = std::nullopt;  ///< the second text
};

/// What a tokenizer made of a text, [CLS] and [SEP] included.
struct Tokens {
  std::vector<int32_t> ids;         ///< lines of vocab.txt, from 0
  std::vector<int32_t> types = {};  ///< 0: first text of a pair, 1: second; empty: all 0
};

/// What the model says about a text, and what it cost.
struct Answer {
  size_t label = 0;            ///< of the highest score
  std::vector<double> scores;  ///< one probability per label
  double budget = 1.0;         ///< the fraction that was used
  double active_heads = 1.0;   ///< share of the model's attention heads that ran
  double active_ffn = 1.0;     ///< share of the model's FFN neurons that ran
  int64_t tokens = 0;          ///< that the text became, after truncation
  double milliseconds = 0.0;   ///< of the call that gave this answer, its other texts included
  /// Of this text alone, as foreseen; nothing when this machine was not calibrated.
  std::optional<double> predicted_milliseconds = std::nullopt;
};

}  // namespace headroom
