// Translations by greedy or beam search, and their BLEU.
#pragma once

#include <vector>

#include "budget/cost.h"
#include "data/encoded.h"
#include "text/bleu.h"
#include "text/tokenizer.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

inline constexpr int default_beam = 4;

// Token ids without [CLS] and [SEP], one list a row of the batch. A beam of 1 is greedy search;
// otherwise the `beam` best beginnings are kept at every step, and of the finished ones that with
// the best mean log-probability per token wins.
std::vector<std::vector<int32_t>> translate(const ElasticModel& model, const Batch& batch,
                                            const Vocabulary& vocabulary, int beam);

// BLEU of the rows' translations against how they were written. Words are what BERT's splitter
// makes of either, capitals kept: punctuation apart, as in the customary scorers.
BleuScore score_translations(const ElasticModel& model, const Tokenizer& tokenizer,
                             const EncodedDataset& data, int beam);

// Mean over the rows, at their own lengths.
Cost mean_translation_cost(const ModelShape& shape, const EncodedDataset& data);

}  // namespace train
}  // namespace headroom
