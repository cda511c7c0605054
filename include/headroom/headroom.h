/// \file
/// headroom: one text classifier, any compute budget.
///
///     const headroom::Model model = headroom::Model::load("out/model");
///     const headroom::Answer answer = model.classify("Oil prices rise", {.fraction = 0.5});
///     std::cout << model.labels()[answer.label] << " " << answer.scores[answer.label] << "\n";
///
/// Everything here keeps its meaning within a major version. Functions throw exceptions derived
/// from std::exception whose what() names the operation, the fact and the likely cause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// One text classifier, any compute budget.
namespace headroom {

/// How much an answer may cost.
struct BudgetRequest {
  double fraction = 1.0;  ///< of the whole model's compute, in (0, 1]
  /// Instead of the fraction: the largest budget that `headroom calibrate` found to answer a text
  /// of this length in so many milliseconds, nine times in ten, on this machine.
  std::optional<double> latency_ms = std::nullopt;
};

/// What numbers the engine multiplies.
enum class Arithmetic {
  fp32,  ///< single precision, the reference
  bf16,  ///< bfloat16 products, half the memory; faster on CPUs with AVX512_BF16
  int8,  ///< products of bytes, a quarter of the memory; faster on CPUs with AVX512_VNNI
};

/// How a checkpoint is loaded.
struct LoadOptions {
  Arithmetic arithmetic = Arithmetic::fp32;  ///< of all products
  int threads = 1;                           ///< that one call is split over, by text; at least 1
};

/// A text, or a pair of texts for a model that compares two. Not copied: must live during the call.
struct Text {
  std::string_view text;                                ///< UTF-8
  std::optional<std::string_view> pair = std::nullopt;  ///< the second text
};

/// What a tokenizer made of a text, [CLS] and [SEP] included.
struct Tokens {
  std::vector<int32_t> ids;  ///< lines of vocab.txt, from 0
  std::vector<int32_t> types =
      {};  ///< 0 for the first text of a pair, 1 for the second; none: all 0
};

/// What the model says about a text, and what it cost.
struct Answer {
  size_t label = 0;            ///< of the highest score
  std::vector<double> scores;  ///< one probability per label
  double budget = 1.0;         ///< that was used
  double active_heads = 1.0;   ///< share of the model's attention heads that ran
  int64_t tokens = 0;          ///< that the text became, after cutting
  double milliseconds = 0.0;   ///< of the call that gave this answer, its other texts included
  /// Of this text alone, as foreseen; nothing when this machine was not calibrated.
  std::optional<double> predicted_milliseconds = std::nullopt;
};

/// Multiply-adds of one text: an estimate of its cost that depends on no machine.
struct Work {
  double attention = 0;  ///< of the heads that run
  double model = 0;      ///< attention included
};

/// A loaded checkpoint. Copies share it, and any number of threads may use one at the same time.
class Model {
 public:
  /// Opens a checkpoint directory and packs its weights.
  static Model load(const std::filesystem::path& directory, const LoadOptions& options = {});

  /// Classifies one text.
  Answer classify(std::string_view text, BudgetRequest budget = {}) const;

  /// Texts may differ in length; each is computed as long as it is. The same text gets the same
  /// bits alone and among others.
  std::vector<Answer> classify(std::span<const Text> texts, BudgetRequest budget = {}) const;

  /// The same for what another tokenizer made of texts.
  std::vector<Answer> classify(std::span<const Tokens> inputs, BudgetRequest budget = {}) const;

  /// With a request for each text.
  std::vector<Answer> classify(std::span<const Text> texts,
                               std::span<const BudgetRequest> budgets) const;

  /// With a request for each input.
  std::vector<Answer> classify(std::span<const Tokens> inputs,
                               std::span<const BudgetRequest> budgets) const;

  /// Names of the classes, in the order of Answer::scores.
  const std::vector<std::string>& labels() const;

  /// In tokens; longer texts are cut.
  int64_t longest_input() const;

  /// What a text of so many tokens costs at a budget.
  Work work(BudgetRequest budget, int64_t tokens) const;

  /// "avx512", ...; the environment variable HEADROOM_ISA chooses another.
  std::string_view instruction_set() const;

 private:
  struct State;
  explicit Model(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace headroom
