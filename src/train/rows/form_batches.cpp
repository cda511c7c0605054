#include "train/rows/form_batches.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/random.h"
#include "model/upload.h"
#include "train/rows/shuffled_rows.h"

namespace headroom {
inline namespace train {
namespace {

constexpr int64_t nothing_to_predict = -100;  // torch's default for "ignore this label"

torch::Tensor row_numbers(const std::vector<int64_t>& numbers, torch::Device device) {
  return upload(torch::tensor(numbers, torch::kInt64), device);
}

// Every image moved by its own number of pixels along `axis`, at most `largest` either way; what
// comes in from outside is black.
torch::Tensor shifted(const torch::Tensor& images, int64_t axis, int64_t largest, Random& random) {
  const int64_t side = images.size(axis);
  std::vector<int64_t> starts(static_cast<size_t>(images.size(0)));
  for (int64_t& start : starts) {
    start = static_cast<int64_t>(random.below(static_cast<uint64_t>(2 * largest + 1)));
  }
  std::vector<int64_t> margins(4, 0);  // last axis first
  std::fill_n(margins.begin() + (axis == 3 ? 0 : 2), 2, largest);
  const torch::Tensor wide = torch::constant_pad_nd(images, margins, 0);
  std::vector<int64_t> spread = {-1, 1, 1, 1};
  torch::Tensor indices = row_numbers(starts, images.device()).view(spread);
  spread[static_cast<size_t>(axis)] = side;
  spread[0] = 1;
  indices = indices + torch::arange(side, indices.options()).view(spread);
  return wide.gather(axis, indices.expand(images.sizes()));
}

// Every image by itself, half of them on average.
torch::Tensor mirrored(const torch::Tensor& images, Random& random) {
  std::vector<int64_t> flags(static_cast<size_t>(images.size(0)));
  for (int64_t& flag : flags) flag = static_cast<int64_t>(random.below(2));
  const torch::Tensor chosen = row_numbers(flags, images.device()).view({-1, 1, 1, 1});
  return torch::where(chosen == 1, images.flip(3), images);
}

class ImageSource : public BatchSource {
 public:
  ImageSource(const EncodedDataset& data, int batch_size, int64_t augment, uint64_t seed,
              torch::Device device)
      : format_(data.image),
        augment_(augment),
        pixels_(torch::tensor(data.pixels, torch::kUInt8)
                    .view({data.size(), format_.values()})
                    .to(device)),
        labels_(torch::tensor(data.labels, torch::kInt64).to(device)),
        order_(data.size(), batch_size, seed, 0x696d61676573, device),
        seed_(seed) {}

  Batch batch(int64_t step, BatchPiece piece) override {
    const torch::Tensor picked = order_.at(step);
    Batch batch;
    const torch::Tensor pixels =
        moved(pixels_.index_select(0, picked), static_cast<uint64_t>(step));
    batch.labels = labels_.index_select(0, piece.rows_of(picked));
    batch.patches = cut_patches(piece.rows_of(pixels).contiguous(), format_);
    batch.share = static_cast<double>(batch.size()) / static_cast<double>(batch_size());
    return batch;
  }
  int64_t steps_per_epoch() const override { return order_.steps_per_epoch(); }
  int64_t batch_size() const override { return order_.batch_size(); }

 private:
  torch::Tensor moved(const torch::Tensor& pixels, uint64_t step) const {
    if (augment_ == 0) return pixels;
    Random random{seed_, step, 0x6d6f766564};
    torch::Tensor images = pixels.view({-1, format_.channels, format_.side, format_.side});
    images = shifted(shifted(images, 2, augment_, random), 3, augment_, random);
    return (format_.channels > 1 ? mirrored(images, random) : images).flatten(1);
  }

  ImageFormat format_;
  int64_t augment_;
  torch::Tensor pixels_;
  torch::Tensor labels_;
  ShuffledRows order_;
  uint64_t seed_;
};

class StreamSource : public BatchSource {
 public:
  StreamSource(const EncodedDataset& data, int batch_size, uint64_t seed, torch::Device device)
      : row_tokens_(data.length(0)),
        rows_(data.size()),
        batch_size_(batch_size),
        seed_(seed),
        window_(torch::arange(row_tokens_ + 1, torch::kInt64).to(device)) {
    std::vector<int32_t> text;
    for (int64_t row = 0; row < rows_; ++row) {
      const auto tokens = data.row(row);  // its last token is the first of the next
      text.insert(text.end(), tokens.begin(), tokens.end() - 1);
    }
    text.push_back(data.tokens.back());
    text_ = torch::tensor(text, torch::kInt64).to(device);
  }

  Batch batch(int64_t step, BatchPiece piece) override {
    Random random{seed_, static_cast<uint64_t>(step), 0x73747265616d};
    std::vector<int64_t> starts(static_cast<size_t>(batch_size_));
    const auto starts_count = static_cast<uint64_t>(text_.size(0) - row_tokens_);
    for (int64_t& start : starts) start = static_cast<int64_t>(random.below(starts_count));
    const torch::Tensor picked =
        piece.rows_of(row_numbers(starts, text_.device())).unsqueeze(1) + window_.unsqueeze(0);
    const torch::Tensor rows = text_.index_select(0, picked.flatten()).view(picked.sizes());
    Batch batch;
    batch.tokens = rows.narrow(1, 0, row_tokens_);
    batch.labels = rows.narrow(1, 1, row_tokens_).flatten();
    batch.share = static_cast<double>(batch.size()) / static_cast<double>(batch_size_);
    return batch;
  }
  int64_t steps_per_epoch() const override {
    return std::max<int64_t>(1, (rows_ + batch_size_ - 1) / batch_size_);
  }
  int64_t batch_size() const override { return batch_size_; }

 private:
  int64_t row_tokens_;
  int64_t rows_;
  int64_t batch_size_;
  uint64_t seed_;
  torch::Tensor window_;
  torch::Tensor text_;
};

}  // namespace

torch::Tensor cut_patches(const torch::Tensor& pixels, const ImageFormat& format) {
  const int64_t B = pixels.size(0);
  const int64_t p = format.patch;
  const int64_t across = format.side / p;
  return pixels.view({B, format.channels, across, p, across, p})
                 .permute({0, 2, 4, 1, 3, 5})
                 .reshape({B, across * across, format.patch_values()})
                 .to(torch::kFloat32) /
             127.5 -
         1.0;
}

Batch image_batch(const EncodedDataset& data, std::span<const int32_t> rows, torch::Device device) {
  const auto bytes = data.image.values();
  torch::Tensor pixels = torch::empty({static_cast<int64_t>(rows.size()), bytes}, torch::kUInt8);
  torch::Tensor labels = torch::empty({static_cast<int64_t>(rows.size())}, torch::kInt64);
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint8_t* image = data.pixels.data() + rows[i] * bytes;
    std::copy(image, image + bytes, pixels.data_ptr<uint8_t>() + static_cast<int64_t>(i) * bytes);
    labels.data_ptr<int64_t>()[i] = data.labels[static_cast<size_t>(rows[i])];
  }
  Batch batch;
  batch.patches = cut_patches(upload(pixels, device), data.image);
  batch.labels = upload(labels, device);
  return batch;
}

Batch stream_batch(const EncodedDataset& data, std::span<const int32_t> rows,
                   torch::Device device) {
  const int64_t T = data.length(rows[0]);
  std::vector<int64_t> tokens;
  for (const int32_t row : rows) {
    const auto ids = data.row(row);
    tokens.insert(tokens.end(), ids.begin(), ids.end());
  }
  const torch::Tensor all = torch::tensor(tokens, torch::kInt64).view({-1, T + 1}).to(device);
  Batch batch;
  batch.tokens = all.narrow(1, 0, T);
  batch.labels = all.narrow(1, 1, T).flatten();
  return batch;
}

Batch translation_batch(const EncodedDataset& data, std::span<const int32_t> rows,
                        torch::Device device) {
  const auto B = static_cast<int64_t>(rows.size());
  int64_t S = 0;
  int64_t T = 0;
  for (const int32_t row : rows) {
    S = std::max<int64_t>(S, data.length(row));
    T = std::max(T, static_cast<int64_t>(data.target(row).size()) - 1);
  }
  torch::Tensor source = torch::zeros({B, S}, torch::kInt64);
  torch::Tensor target = torch::zeros({B, T}, torch::kInt64);
  torch::Tensor answers = torch::full({B, T}, nothing_to_predict, torch::kInt64);
  torch::Tensor bias = torch::zeros({B, 1, 1, S});
  for (int64_t i = 0; i < B; ++i) {
    const int32_t row = rows[static_cast<size_t>(i)];
    const auto words = data.row(row);
    const auto translated = data.target(row);
    std::copy(words.begin(), words.end(), source.data_ptr<int64_t>() + i * S);
    std::copy(translated.begin(), translated.end() - 1, target.data_ptr<int64_t>() + i * T);
    std::copy(translated.begin() + 1, translated.end(), answers.data_ptr<int64_t>() + i * T);
    float* keys = bias.data_ptr<float>() + i * S;
    std::fill(keys + words.size(), keys + S, -std::numeric_limits<float>::infinity());
  }
  Batch batch;
  batch.tokens = upload(source, device);
  batch.key_bias = upload(bias, device);
  batch.target = upload(target, device);
  batch.labels = upload(answers.flatten(), device);
  return batch;
}

std::unique_ptr<BatchSource> image_source(const EncodedDataset& data, int batch_size,
                                          int64_t augment, uint64_t seed, torch::Device device) {
  return std::make_unique<ImageSource>(data, batch_size, augment, seed, device);
}

std::unique_ptr<BatchSource> stream_source(const EncodedDataset& data, int batch_size,
                                           uint64_t seed, torch::Device device) {
  return std::make_unique<StreamSource>(data, batch_size, seed, device);
}

}  // namespace train
}  // namespace headroom
