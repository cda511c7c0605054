// Images with labels, read as square patches.
#include <fmt/format.h>

#include "base/error.h"
#include "data/split.h"
#include "train/rows/validation_data.h"
#include "train/tasks/tasks.h"

namespace headroom {
inline namespace train {
namespace {

void set_image_defaults(TrainRequest& request) {
  Recipe& recipe = request.recipe;
  recipe.batch_size = 128;
  recipe.dense_rate = 1e-3;
  recipe.soft_rate = 5e-4;
  recipe.dense_epochs = 20;
  recipe.soft_epochs = 5;
  recipe.dropout = 0.1;
  request.shape.width = 128;
  request.shape.heads = 4;
  request.shape.ffn = 256;
}

void require_same_size(const EncodedDataset& rows, const EncodedDataset& train,
                       std::string_view what) {
  if (rows.image == train.image) return;
  throw Error(ErrorCode::bad_data, "load images",
              fmt::format("the {} images have another size than the training images", what));
}

TaskData load_image_task(const TaskRequest& request, const TextCoding* /*fixed*/) {
  require_data(request, "idx:IMAGES,LABELS, cifar:FILE, mnist or cifar10");
  ImageDataset all = load_images(request.data, request.data_dir, request.max_memory);
  if (request.train_rows > 0) {
    all = pick_images(all, sample_stratified(all.labels, request.train_rows, request.split_seed));
  }
  const auto load = [&](const std::string& spec) {
    return encode_images(load_images(spec, request.data_dir, request.max_memory), request.patch);
  };
  TaskData data;
  data.task = Task::image;
  data.name = request.data;
  data.labels = all.names;
  data.vocabulary = Vocabulary::with_words({});
  data.validation_name = validation_spec(request);
  if (data.validation_name.empty()) {
    const SplitIndices split =
        split_stratified(all.labels, request.validation_count(all.size()), request.split_seed);
    data.train = encode_images(pick_images(all, split.train), request.patch);
    data.validation = encode_images(pick_images(all, split.validation), request.patch);
  } else {
    data.train = encode_images(all, request.patch);
    data.validation = load(data.validation_name);
  }
  require_same_size(data.validation, data.train, "validation");
  if (!request.eval_data.empty()) {
    data.test = load(request.eval_data);
    require_same_size(data.test, data.train, "test");
  }
  data.max_tokens = static_cast<int>(data.train.image.patches() + 1);
  data.augment = request.augment;
  return data;
}

EncodedDataset load_scored_images(const EvaluationData& wanted) {
  require_scored_data(wanted);
  const ImageFormat& read = wanted.config.image;
  EncodedDataset rows = encode_images(load_images(wanted.data, wanted.data_dir), read.patch);
  if (rows.image == read) return rows;
  throw Error(ErrorCode::bad_data, "load images",
              fmt::format("{} has images of {} x {} with {} channels, the model reads {} x {} "
                          "with {}",
                          wanted.data, rows.image.side, rows.image.side, rows.image.channels,
                          read.side, read.side, read.channels));
}

}  // namespace

const TaskDefinition image_task = {set_image_defaults, load_image_task, load_scored_images,
                                   nullptr};

}  // namespace train
}  // namespace headroom
