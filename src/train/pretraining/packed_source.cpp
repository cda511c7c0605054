#include "train/pretraining/packed_source.h"

#include "train/rows/shuffled_rows.h"

namespace headroom {
inline namespace train {
namespace {

torch::Tensor as_tensor(const PackedRows& rows, torch::Device device) {
  return torch::tensor(rows.tokens, torch::kInt32).view({rows.size(), rows.row_tokens}).to(device);
}

class PackedSource : public BatchSource {
 public:
  PackedSource(const PackedRows& rows, int batch_size, uint64_t seed, torch::Device device)
      : rows_(as_tensor(rows, device)),
        order_(rows.size(), batch_size, seed, 0x7061636b6564, device) {}

  Batch batch(int64_t step, BatchPiece piece) override {
    Batch batch;
    batch.tokens = rows_.index_select(0, piece.rows_of(order_.at(step))).to(torch::kInt64);
    batch.share = static_cast<double>(batch.size()) / static_cast<double>(batch_size());
    return batch;
  }
  int64_t steps_per_epoch() const override { return order_.steps_per_epoch(); }
  int64_t batch_size() const override { return order_.batch_size(); }

 private:
  torch::Tensor rows_;
  ShuffledRows order_;
};

}  // namespace

std::unique_ptr<BatchSource> packed_source(const PackedRows& rows, int batch_size, uint64_t seed,
                                           torch::Device device) {
  return std::make_unique<PackedSource>(rows, batch_size, seed, device);
}

std::vector<Batch> packed_batches(const PackedRows& rows, int batch_size, torch::Device device) {
  const torch::Tensor all = as_tensor(rows, device).to(torch::kInt64);
  std::vector<Batch> batches;
  for (const torch::Tensor& part : all.split(batch_size)) {
    batches.emplace_back();
    batches.back().tokens = part;
  }
  return batches;
}

Batch cut_rows(const Batch& batch, int64_t tokens) {
  Batch cut = batch;
  const torch::Tensor cls = batch.tokens.narrow(1, 0, 1);  // (B, 1)
  const int64_t pieces = batch.length() / tokens;
  cut.tokens = batch.tokens.reshape({batch.size() * pieces, tokens}).clone();
  cut.tokens.select(1, 0).copy_(cls.expand({batch.size(), pieces}).reshape(-1));
  return cut;
}

}  // namespace train
}  // namespace headroom
