/// \file
/// What goes into a model and what comes out: the same types from the C++ API down to the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// How much an answer may cost.
struct Budget {
  /// Of the full model's compute, in (0, 1]. 0: none of it, the bag of n-grams that `headroom tune`
  /// put in front of the model answers.
  double fraction = 1.0;
  /// Instead of the fraction: the largest budget that `headroom calibrate` found to answer a text
  /// of this length in so many milliseconds, nine times in ten, on this machine.
  std::optional<double> latency_ms = std::nullopt;
  /// Instead of the fraction: as much as each text needs. It climbs the rungs that `headroom tune`
  /// stored until an answer is sure enough; with latency_ms, no further than that allows.
  bool automatic = false;
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
  std::vector<int32_t> ids;  ///< lines of vocab.txt, from 0
  std::vector<int32_t> types =
      {};  ///< first or second text of a pair, or a word's letter case; empty: all 0
  bool truncated = false;  ///< the text was longer than the model reads
};

/// How a tagger makes one tag of the pieces of a word; then words that go on make an entity.
enum class Aggregation {
  simple,   ///< every piece keeps its own tag
  first,    ///< that of the word's first piece
  average,  ///< of the mean of its pieces' scores
  max,      ///< of the piece that is surest
};

/// What may be asked of an answer. Each is for models of one output, and refused by others.
struct AnswerOptions {
  Aggregation aggregation = Aggregation::simple;     ///< tags
  bool token_tags = false;                           ///< tags: every token's too
  std::optional<int64_t> dimensions = std::nullopt;  ///< vectors: only the first so many
  /// Vectors: the name of one of the model's prompts, put in front of every text; none: the model's
  /// usual one, if it has one.
  std::optional<std::string> prompt = std::nullopt;
};

/// Something that a tagger found in a text. Positions are code points of the text, from 0.
struct Entity {
  std::string text;   ///< as it stands there
  std::string label;  ///< without B- or I-
  double score = 0;
  int64_t start = 0;
  int64_t end = 0;  ///< behind its last character
};

/// A token of a text with its tag.
struct TaggedToken {
  std::string token;  ///< as the vocabulary spells it
  int64_t start = 0;  ///< code points, as in Entity
  int64_t end = 0;
  size_t label = 0;
  std::vector<double> scores;  ///< one probability per label
};

/// What the model says about a text, and what it cost.
struct Answer {
  size_t label = 0;                   ///< one label: of the highest score
  std::vector<double> scores;         ///< one probability per label; of a tagger, token by token
  std::vector<size_t> labels = {};    ///< several labels: those at or above their thresholds
  double score = 0;                   ///< a ranking (0 to 1) or a number
  double logit = 0;                   ///< of a ranking, before the sigmoid
  std::vector<float> embedding = {};  ///< a vector
  std::vector<Entity> entities = {};  ///< tags, in the order of the text
  std::vector<TaggedToken> token_tags = {};  ///< where they were asked for
  double budget = 1.0;                       ///< the fraction that was used, of all rungs together
  double active_heads = 1.0;                 ///< share of the model's attention heads that ran
  double active_ffn = 1.0;                   ///< share of the model's FFN neurons that ran
  int64_t tokens = 0;                        ///< that the text became, after truncation
  double milliseconds = 0.0;  ///< of the call that gave this answer, its other texts included
  /// Of this text alone, as foreseen; nothing when this machine was not calibrated.
  std::optional<double> predicted_milliseconds = std::nullopt;
  std::vector<double> rungs = {};  ///< of Budget::automatic: the budgets that ran, in order
  bool truncated = false;          ///< the text was longer than the model reads: a part was cut
};

}  // namespace headroom
