#include "train/evaluate/translate.h"

#include <algorithm>
#include <limits>

#include "model/decoder.h"
#include "model/layers.h"
#include "text/wordpiece/bert_normalizer.h"
#include "train/rows/batches.h"

namespace headroom {
inline namespace train {
namespace {

constexpr int64_t longer_than_source = 20;  // tokens; German captions rarely need 10
constexpr int sentences_a_batch = 100;
constexpr double impossible = -std::numeric_limits<double>::infinity();

// All beginnings of translations under consideration: K for each of B sentences.
struct Beams {
  torch::Tensor tokens;    // (B * K, t)
  torch::Tensor scores;    // (B, K), sums of log-probabilities
  torch::Tensor finished;  // (B, K), bool
};

class BeamSearch {
 public:
  BeamSearch(const ElasticModel& model, const Batch& batch, const Vocabulary& vocabulary, int beam)
      : weights_(model.weights),
        options_(model.evaluation()),
        vocabulary_(vocabulary),
        B_(batch.size()),
        K_(beam),
        most_(std::min(weights_.positions.size(0), batch.length() + longer_than_source)) {
    memory_ = encode(weights_, batch, options_).repeat_interleave(K_, 0);
    key_bias_ = batch.key_bias.repeat_interleave(K_, 0);
    beams_.tokens = torch::full({B_ * K_, 1}, vocabulary.cls_id(), batch.tokens.options());
    // All but the first beginning are out, or all would go the same way.
    beams_.scores = torch::full({B_, K_}, impossible, memory_.options());
    beams_.scores.select(1, 0).zero_();
    beams_.finished = torch::zeros({B_, K_}, batch.tokens.options().dtype(torch::kBool));
  }

  std::vector<std::vector<int32_t>> run() {
    while (beams_.tokens.size(1) < most_ && !beams_.finished.all().item<bool>()) step();
    return best();
  }

 private:
  // Log-probabilities (B, K, V) of what comes next. A finished translation can only stay as it is.
  torch::Tensor next() const {
    const torch::Tensor x = decode(weights_, memory_, key_bias_, beams_.tokens, options_);
    torch::Tensor next = torch::log_softmax(language_logits(weights_, x.select(1, -1)), -1)
                             .view({B_, K_, vocabulary_.size()});
    for (const int32_t never :
         {vocabulary_.pad_id(), vocabulary_.cls_id(), vocabulary_.unknown_id()}) {
      next.select(2, never).fill_(impossible);
    }
    next.masked_fill_(beams_.finished.unsqueeze(2), impossible);
    next.select(2, vocabulary_.pad_id()).masked_fill_(beams_.finished, 0.0);
    return next;
  }

  void step() {
    const torch::Tensor total = (beams_.scores.unsqueeze(2) + next()).flatten(1);  // (B, K * V)
    const auto [scores, indices] = total.topk(K_, 1);
    const torch::Tensor from = torch::floor_divide(indices, vocabulary_.size());
    const torch::Tensor token = indices - from * vocabulary_.size();
    const torch::Tensor rows =
        (from + torch::arange(B_, from.options()).unsqueeze(1) * K_).flatten();
    beams_.tokens = torch::cat({beams_.tokens.index_select(0, rows), token.view({-1, 1})}, 1);
    beams_.scores = scores;
    beams_.finished = beams_.finished.gather(1, from).logical_or(token == vocabulary_.sep_id());
  }

  std::vector<std::vector<int32_t>> best() const {
    const torch::Tensor tokens = beams_.tokens.view({B_, K_, -1});
    const torch::Tensor lengths =
        (tokens != vocabulary_.pad_id()).sum(2).to(beams_.scores.scalar_type()) - 1;
    const torch::Tensor winner = (beams_.scores / lengths.clamp_min(1)).argmax(1).to(torch::kCPU);
    const torch::Tensor all = tokens.to(torch::kCPU);
    std::vector<std::vector<int32_t>> translations;
    for (int64_t i = 0; i < B_; ++i) {
      const torch::Tensor row = all[i][winner[i].item<int64_t>()].contiguous();
      const int64_t* ids = row.data_ptr<int64_t>();
      const int64_t* end = std::find(ids, ids + row.numel(), vocabulary_.sep_id());
      translations.emplace_back(ids + 1, end);
    }
    return translations;
  }

  const ModelWeights& weights_;
  ForwardOptions options_;
  const Vocabulary& vocabulary_;
  int64_t B_;
  int64_t K_;
  int64_t most_;
  torch::Tensor memory_;
  torch::Tensor key_bias_;
  Beams beams_;
};

}  // namespace

std::vector<std::vector<int32_t>> translate(const ElasticModel& model, const Batch& batch,
                                            const Vocabulary& vocabulary, int beam) {
  const torch::InferenceMode inference;
  return BeamSearch(model, batch, vocabulary, beam).run();
}

BleuScore score_translations(const ElasticModel& model, const Tokenizer& tokenizer,
                             const EncodedDataset& data, int beam) {
  const std::vector<int32_t> rows = data.rows_by_length();
  std::vector<BleuSentence> sentences;
  const std::span<const int32_t> all = rows;
  for (size_t begin = 0; begin < rows.size(); begin += sentences_a_batch) {
    const auto some = all.subspan(begin, std::min<size_t>(sentences_a_batch, rows.size() - begin));
    const auto translations =
        translate(model, make_batch(data, some, model.device()), tokenizer.vocabulary(), beam);
    for (size_t i = 0; i < some.size(); ++i) {
      const std::string& written = data.references[static_cast<size_t>(some[i])];
      sentences.push_back({split_bert_words(tokenizer.join(translations[i]), false),
                           {split_bert_words(written, false)}});
    }
  }
  return corpus_bleu(sentences);
}

Cost mean_translation_cost(const ModelShape& shape, const EncodedDataset& data) {
  Cost mean;
  const auto rows = static_cast<double>(data.size());
  for (int64_t row = 0; row < data.size(); ++row) {
    const auto target = static_cast<int64_t>(data.target(row).size()) - 1;
    const Cost cost = translation_cost(shape, data.length(row), target);
    mean.attention_macs += cost.attention_macs / rows;
    mean.model_macs += cost.model_macs / rows;
  }
  return mean;
}

}  // namespace train
}  // namespace headroom
