/// \file
/// headroom: one text encoder, any compute budget.
///
///     const headroom::Model model = headroom::Model::load("out/model");
///     const headroom::Answer answer = model.classify("Oil prices rise", {.fraction = 0.5});
///     std::cout << model.labels()[answer.label] << " " << answer.scores[answer.label] << "\n";
///
/// What an Answer holds is what the model's output is: a label, several labels, a score, entities
/// or an embedding.
///
/// Everything here keeps its meaning within a major version. Functions throw headroom::Error, whose
/// what() names the operation, the fact and the likely cause.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/error.h"
#include "headroom/types.h"

/// Raised with every change that a program may have to follow. 2: Budget, Precision and Error. 3:
/// answers of every output.
#define HEADROOM_API 3

/// One text encoder, any compute budget.
namespace headroom {

/// How a checkpoint is loaded.
struct LoadOptions {
  /// Of all products. Nothing: the fastest whose answers agree with fp32's, as `headroom calibrate`
  /// found on this machine; fp32 where it was not run.
  std::optional<Precision> precision = std::nullopt;
  int threads = 1;  ///< that a call is split over, by text; one text has all
  /// A folder that only this user can write to, made where it is missing. Packed weights are kept
  /// there: later processes start sooner and share their memory. Empty: weights are packed anew.
  std::filesystem::path packed_cache = {};
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
  Answer classify(std::string_view text, Budget budget = {}) const;

  /// Texts may differ in length; each is computed as long as it is. The same text gets the same
  /// bits alone and among others.
  std::vector<Answer> classify(std::span<const Text> texts, Budget budget = {}) const;

  /// The same for what another tokenizer made of texts.
  std::vector<Answer> classify(std::span<const Tokens> inputs, Budget budget = {}) const;

  /// With a budget for each text, or one for all.
  std::vector<Answer> classify(std::span<const Text> texts, std::span<const Budget> budgets) const;

  /// With a budget for each input, or one for all.
  std::vector<Answer> classify(std::span<const Tokens> inputs,
                               std::span<const Budget> budgets) const;

  /// classify() with options: a vector's dimensions and prompt, a tagger's aggregation. Texts
  /// longer than a tagger reads are tagged whole, in windows.
  std::vector<Answer> answer(std::span<const Text> texts, std::span<const Budget> budgets,
                             const AnswerOptions& options = {}) const;

  /// One text.
  Answer answer(std::string_view text, Budget budget = {}, const AnswerOptions& options = {}) const;

  /// Scores of passages for a query, in the order of the passages. The model must be a ranker. An
  /// automatic budget runs all of them at a quarter and the best at the full budget; Answer::rungs
  /// tell which. A latency is that of all passages together.
  std::vector<Answer> rerank(std::string_view query, std::span<const std::string_view> passages,
                             Budget budget = {}) const;

  /// What its output is: "classify", "pair", "multilabel", "regress", "rerank", "tag", "embed".
  std::string_view task() const;

  /// Names of the classes, in the order of Answer::scores.
  const std::vector<std::string>& labels() const;

  /// In tokens; longer texts are truncated.
  int64_t longest_input() const;

  /// What a text of so many tokens costs at a budget; of an automatic one, on average.
  Work work(Budget budget, int64_t tokens) const;

  /// What matrix products run in: what was asked for, or what `headroom calibrate` chose.
  Precision precision() const;

  /// "avx512", ...; the environment variable HEADROOM_ISA chooses another.
  std::string_view instruction_set() const;

 private:
  struct State;
  explicit Model(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace headroom
