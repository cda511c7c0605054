#include "train/rows/task_data.h"

#include <algorithm>

#include "base/random.h"
#include "checkpoint/checkpoint.h"
#include "text/letter_case.h"
#include "train/rows/form_batches.h"

namespace headroom {
inline namespace train {
namespace {

constexpr int64_t synthetic_epoch_rows = 20000;

}  // namespace

TextCoding read_coding(const std::filesystem::path& checkpoint) {
  const ModelConfig config = read_config(checkpoint);
  return {config.tokenizer, config.lower_case, read_vocabulary(checkpoint, config),
          config.shape.token_types > 0, config.truncation};
}

ModelShape fit_shape(ModelShape shape, const TaskData& data) {
  const RowForm rows = traits(data.task).rows;
  // A model to start from may have more rows than its tokenizer has tokens.
  shape.vocabulary = std::max<int64_t>(shape.vocabulary, data.vocabulary->size());
  shape.positions = data.max_tokens;
  shape.labels = static_cast<int64_t>(data.labels.size());
  shape.causal = rows == RowForm::stream;
  shape.readout = readout_of(data.task);
  if (shape.readout != Readout::vector) shape.dense = 0;
  shape.patch_values = data.train.image.patch_values();
  if (rows != RowForm::translation) shape.decoder_layers = 0;
  if (rows == RowForm::stream || rows == RowForm::image) shape.token_types = 0;
  if (data.letter_case) shape.token_types = letter_cases;
  return shape;
}

std::unique_ptr<BatchSource> training_source(const TaskData& data, int batch_size, uint64_t seed,
                                             torch::Device device) {
  if (data.task == Task::synthetic) {
    return synthetic_source(data.synthetic, batch_size, synthetic_epoch_rows,
                            mix_key({seed, 0x726f7773}), device);
  }
  if (data.task == Task::image) {
    return image_source(data.train, batch_size, data.augment, seed, device);
  }
  return epoch_source(data.train, batch_size, seed, device);
}

}  // namespace train
}  // namespace headroom
