#include "train/rows/batches.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "data/epoch_order.h"
#include "model/upload.h"
#include "train/rows/form_batches.h"

namespace headroom {
inline namespace train {
namespace {

class EpochSource : public BatchSource {
 public:
  EpochSource(const EncodedDataset& data, int batch_size, uint64_t seed, torch::Device device)
      : data_(data),
        lengths_(data.lengths()),
        batch_size_(batch_size),
        seed_(seed),
        device_(device) {}

  Batch batch(int64_t step, BatchPiece piece) override {
    const int64_t epoch = step / steps_per_epoch();
    if (epoch != epoch_) {
      batches_ = epoch_batches(lengths_, batch_size_, seed_, epoch);
      epoch_ = epoch;
    }
    const std::span<const int32_t> all = batches_[static_cast<size_t>(step % steps_per_epoch())];
    const std::vector<int32_t> rows = piece.rows_of(all);
    if (rows.empty()) return no_rows();
    Batch batch = make_batch(data_, rows, device_);
    batch.share = predictions(rows) / predictions(all);
    return batch;
  }
  int64_t steps_per_epoch() const override {
    return (data_.size() + batch_size_ - 1) / batch_size_;
  }
  int64_t batch_size() const override { return batch_size_; }

 private:
  // How many labels the loss of these rows is the mean of.
  double predictions(std::span<const int32_t> rows) const {
    double positions = 0;
    if (!data_.tags.empty()) {
      for (const int32_t row : rows) {
        for (const int32_t tag : data_.row_tags(row)) {
          positions += tag == EncodedDataset::no_tag ? 0 : 1;
        }
      }
      return positions;
    }
    if (data_.form != RowForm::translation) return static_cast<double>(rows.size());
    for (const int32_t row : rows) positions += static_cast<double>(data_.target(row).size()) - 1;
    return positions;
  }

  const EncodedDataset& data_;
  std::vector<int32_t> lengths_;
  int batch_size_;
  uint64_t seed_;
  torch::Device device_;
  int64_t epoch_ = -1;
  std::vector<std::vector<int32_t>> batches_;
};

class SyntheticSource : public BatchSource {
 public:
  SyntheticSource(const SyntheticTask& task, int batch_size, int64_t epoch_rows, uint64_t seed,
                  torch::Device device)
      : task_(task),
        batch_size_(batch_size),
        epoch_rows_(epoch_rows),
        seed_(seed),
        device_(device) {
    rows_.resize(static_cast<size_t>(batch_size));
    std::iota(rows_.begin(), rows_.end(), 0);
    for (int tokens = 16; tokens < task.tokens; tokens *= 2) {
      if (tokens > task.markers) shorter_.push_back(shortened(task, tokens));
    }
  }

  Batch batch(int64_t step, BatchPiece piece) override {
    const auto first = static_cast<uint64_t>(step * batch_size_);
    Random random{seed_, first, 0x6c656e677468};
    const bool full = shorter_.empty() || random.uniform() < 0.5;
    const SyntheticTask& task = full ? task_ : shorter_[random.below(shorter_.size())];
    const std::vector<int32_t> rows = piece.rows_of(std::span<const int32_t>(rows_));
    if (rows.empty()) return no_rows();
    Batch batch = make_batch(encode_synthetic(task, seed_, first, batch_size_), rows, device_);
    batch.share = static_cast<double>(rows.size()) / static_cast<double>(rows_.size());
    return batch;
  }
  int64_t steps_per_epoch() const override { return epoch_rows_ / batch_size_; }
  int64_t batch_size() const override { return batch_size_; }

 private:
  SyntheticTask task_;
  std::vector<SyntheticTask> shorter_;
  int batch_size_;
  int64_t epoch_rows_;
  uint64_t seed_;
  torch::Device device_;
  std::vector<int32_t> rows_;
};

// All texts of these rows: the first of each, then the second of each, ...
struct InputText {
  std::span<const int32_t> ids, types, tags;
};

std::vector<InputText> texts_of(const EncodedDataset& data, std::span<const int32_t> rows) {
  std::vector<InputText> texts;
  for (const int32_t row : rows) {
    texts.push_back({data.row(row), data.row_types(row), {}});
    if (!data.tags.empty()) texts.back().tags = data.row_tags(row);
  }
  for (const EncodedDataset& partner : data.partners) {
    for (const int32_t row : rows) texts.push_back({partner.row(row), partner.row_types(row), {}});
  }
  return texts;
}

torch::Tensor values_of(const EncodedDataset& data, std::span<const int32_t> rows) {
  torch::Tensor values = torch::empty({static_cast<int64_t>(rows.size()), data.values_a_row});
  auto* next = values.data_ptr<float>();
  for (const int32_t row : rows) {
    const std::span<const float> one = data.row_values(row);
    next = std::copy(one.begin(), one.end(), next);
  }
  return values;
}

Batch text_batch(const EncodedDataset& data, std::span<const int32_t> rows, torch::Device device) {
  const std::vector<InputText> texts = texts_of(data, rows);
  const auto B = static_cast<int64_t>(texts.size());
  size_t longest = 0;
  size_t shortest = std::numeric_limits<size_t>::max();
  for (const InputText& text : texts) {
    longest = std::max(longest, text.ids.size());
    shortest = std::min(shortest, text.ids.size());
  }
  const auto T = static_cast<int64_t>(longest);
  Batch batch;
  batch.rows.assign(rows.begin(), rows.end());
  batch.texts = static_cast<int64_t>(data.partners.size()) + 1;
  batch.tokens = torch::zeros({B, T}, torch::kInt64);
  if (!data.types.empty()) batch.types = torch::zeros({B, T}, torch::kInt64);
  torch::Tensor bias = torch::zeros({B, 1, 1, T});
  auto* bias_data = bias.data_ptr<float>();
  const bool tagged = !data.tags.empty();
  batch.labels = tagged ? torch::full({B * T}, EncodedDataset::no_tag, torch::kInt64)
                        : torch::empty({static_cast<int64_t>(rows.size())}, torch::kInt64);
  auto* labels = batch.labels.data_ptr<int64_t>();
  for (int64_t i = 0; i < B; ++i) {
    const InputText& text = texts[static_cast<size_t>(i)];
    std::copy(text.ids.begin(), text.ids.end(), batch.tokens.data_ptr<int64_t>() + i * T);
    if (batch.types.defined()) {
      std::copy(text.types.begin(), text.types.end(), batch.types.data_ptr<int64_t>() + i * T);
    }
    if (tagged) std::copy(text.tags.begin(), text.tags.end(), labels + i * T);
    std::fill(bias_data + i * T + static_cast<int64_t>(text.ids.size()), bias_data + (i + 1) * T,
              -std::numeric_limits<float>::infinity());
  }
  for (size_t i = 0; i < rows.size() && !tagged; ++i) {
    labels[i] = data.labels[static_cast<size_t>(rows[i])];
  }
  if (shortest < longest) batch.key_bias = upload(bias, device);
  batch.tokens = upload(batch.tokens, device);
  batch.labels = upload(batch.labels, device);
  if (batch.types.defined()) batch.types = upload(batch.types, device);
  if (data.values_a_row > 0) batch.values = upload(values_of(data, rows), device);
  return batch;
}

}  // namespace

Batch no_rows() {
  Batch batch;
  batch.tokens = torch::empty({0, 1}, torch::kInt64);
  batch.share = 0;
  return batch;
}

Batch make_batch(const EncodedDataset& data, std::span<const int32_t> rows, torch::Device device) {
  if (data.form == RowForm::image) return image_batch(data, rows, device);
  if (data.form == RowForm::stream) return stream_batch(data, rows, device);
  if (data.form == RowForm::translation) return translation_batch(data, rows, device);
  return text_batch(data, rows, device);
}

std::unique_ptr<BatchSource> epoch_source(const EncodedDataset& data, int batch_size, uint64_t seed,
                                          torch::Device device) {
  if (data.form == RowForm::stream) return stream_source(data, batch_size, seed, device);
  return std::make_unique<EpochSource>(data, batch_size, seed, device);
}

std::unique_ptr<BatchSource> synthetic_source(const SyntheticTask& task, int batch_size,
                                              int64_t epoch_rows, uint64_t seed,
                                              torch::Device device) {
  return std::make_unique<SyntheticSource>(task, batch_size, epoch_rows, seed, device);
}

}  // namespace train
}  // namespace headroom
