#include "train/evaluate/image_predictor.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "model/slice.h"
#include "train/checkpoint_model.h"
#include "train/rows/batches.h"
#include "train/runtime.h"
#include "train/tasks/tasks.h"

namespace headroom {
inline namespace train {
namespace {

constexpr size_t images_a_batch = 100;

}  // namespace

void predict_images(
    const ImageRequest& request,
    const std::function<void(const ModelConfig& config, const ImagePrediction&)>& take) {
  use_threads(request.threads);
  const torch::InferenceMode inference;
  const CheckpointModel checkpoint = open_finished(request.model, open_device(request.device));
  const Selection selection = checkpoint.config.selection(request.budget);
  const ModelWeights sliced = slice_model(checkpoint.model.weights, selection);
  const EncodedDataset images = image_task.load_scored(
      {checkpoint.config, *checkpoint.tokenizer, request.data, request.data_dir});
  std::vector<int32_t> rows(static_cast<size_t>(images.size()));
  std::iota(rows.begin(), rows.end(), 0);
  const std::span<const int32_t> all = rows;
  for (size_t begin = 0; begin < rows.size(); begin += images_a_batch) {
    const auto started = std::chrono::steady_clock::now();
    const auto some = all.subspan(begin, std::min(images_a_batch, rows.size() - begin));
    const torch::Tensor logits = forward(
        sliced, make_batch(images, some, checkpoint.model.device()), checkpoint.model.evaluation());
    const torch::Tensor scores =
        torch::softmax(logits.to(torch::kFloat64), -1).to(torch::kCPU).contiguous();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - started;
    for (int64_t i = 0; i < scores.size(0); ++i) {
      const auto* values = scores.data_ptr<double>() + i * scores.size(1);
      ImagePrediction prediction;
      prediction.scores.assign(values, values + scores.size(1));
      prediction.label = std::max_element(values, values + scores.size(1)) - values;
      prediction.active_heads = selection.active_fraction();
      prediction.milliseconds = taken.count() / static_cast<double>(some.size());
      take(checkpoint.config, prediction);
    }
  }
}

}  // namespace train
}  // namespace headroom
