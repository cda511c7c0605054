// Checkpoints written, read back, damaged and half-written.
#include "checkpoint/checkpoint.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/files/file.h"
#include "checkpoint/hf/import.h"
#include "full_disk.h"
#include "hf_model.h"
#include "model/forward.h"
#include "model/random_models.h"
#include "model/weights_io.h"
#include "support.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::expect_error;
using testing::FullDisk;
using testing::TemporaryFolder;

ModelConfig small_config() {
  ModelConfig config;
  config.shape = {.layers = 2, .width = 8, .heads = 2, .ffn = 12, .vocabulary = 8, .positions = 6};
  config.method = Method::budgeted;
  config.labels = {"good", "bad"};
  config.gates = GateParameters{2, 2, {0.5, -1.25, 0.1, 3.0}, {unit_slope}};
  return config;
}

const std::string small_vocabulary = Vocabulary::with_words({"a", "b", "c"}).to_text();

// The tensors of `weights`, or those that `keep` accepts.
void write_small(const fs::path& directory, ModelWeights weights,
                 const std::function<bool(const TensorView&)>& keep = {}) {
  CheckpointContent content{small_config(), small_vocabulary, "# card\n", "", {}};
  for (const TensorView& view : tensor_views(weights)) {
    if (!keep || keep(view)) content.tensors.push_back(view);
  }
  write_checkpoint(directory, content);
}

ModelWeights small_weights(uint64_t seed) {
  return testing::random_weights(small_config().shape, seed);
}

ModelWeights read_weights(const fs::path& directory) {
  return load_weights(directory, read_config(directory));
}

void expect_equal(ModelWeights expected, ModelWeights found) {
  std::vector<torch::Tensor> tensors;
  for_each_tensor(found,
                  [&](const std::string&, torch::Tensor& tensor) { tensors.push_back(tensor); });
  size_t next = 0;
  for_each_tensor(expected, [&](const std::string& name, const torch::Tensor& tensor) {
    EXPECT_TRUE(torch::equal(tensor, tensors[next++])) << name;
  });
}

void edit_config(const fs::path& directory, const std::function<void(Json&)>& edit) {
  Json json = parse_json(read_file(directory / "config.json", ErrorCode::bad_model),
                         ErrorCode::bad_model, "config.json");
  edit(json);
  write_file_atomically(directory / "config.json", json.dump());
}

// A good checkpoint in a folder of its own, to be damaged.
class Checkpoint : public ::testing::Test {
 protected:
  Checkpoint() : path(folder.path() / "model") { write_small(path, small_weights(1)); }

  void expect_refused(std::string_view fragment) const {
    expect_error(ErrorCode::bad_model, fragment, [&] {
      const ModelConfig config = read_config(path);
      read_vocabulary(path, config);
      load_weights(path, config);
    });
  }

  TemporaryFolder folder;
  fs::path path;
};

TEST_F(Checkpoint, WeightsComeBackBitForBit) {
  expect_equal(small_weights(1), read_weights(path));
}

TEST_F(Checkpoint, WeightsLargerThanMemoryAreRefusedBeforeTheyAreRead) {
  ModelConfig config = read_config(path);
  config.shape.layers = 128;
  config.shape.width = 65536;
  config.shape.ffn = 1 << 20;  // 79 TB
  config.gates.reset();
  expect_error(ErrorCode::runtime, "the weights take more than",
               [&] { load_weights(path, config); });
}

TEST_F(Checkpoint, ConfigComesBackWhole) {
  const ModelConfig config = read_config(path);
  EXPECT_EQ(config.shape, small_config().shape);
  EXPECT_EQ(config.method, Method::budgeted);
  EXPECT_EQ(config.labels, small_config().labels);
  EXPECT_EQ(config.gates->offset, small_config().gates->offset);
  EXPECT_EQ(config.gates->slope, small_config().gates->slope);
  EXPECT_EQ(config.dropout, small_config().dropout);
  EXPECT_EQ(config.layer_norm_eps, small_config().layer_norm_eps);
}

TEST_F(Checkpoint, VocabularyComesBackWhole) {
  EXPECT_EQ(read_vocabulary(path, read_config(path)).to_text(), small_vocabulary);
}

TEST_F(Checkpoint, AMissingFolderIsABadModel) {
  path = folder.path() / "nowhere";
  expect_refused("is not a directory");
}

TEST_F(Checkpoint, EachMissingFileIsABadModel) {
  for (const char* file : {"config.json", "vocab.txt", "model.safetensors"}) {
    write_small(path, small_weights(1));
    fs::remove(path / file);
    expect_refused(file);
  }
}

TEST_F(Checkpoint, AMissingTensorIsABadModel) {
  write_small(path, small_weights(1),
              [](const TensorView& view) { return view.name != "classifier.bias"; });
  expect_refused("tensors, config.json implies");
}

TEST_F(Checkpoint, ATensorUnderAnotherNameIsABadModel) {
  ModelWeights weights = small_weights(1);
  CheckpointContent content{small_config(), small_vocabulary, "# card\n", "", {}};
  content.tensors = tensor_views(weights);
  content.tensors.back().name = "classifier.offset";
  write_checkpoint(path, content);
  expect_refused("classifier.bias");
}

TEST_F(Checkpoint, AMisshapenTensorIsABadModel) {
  edit_config(path, [](Json& json) { json["intermediate_size"] = 13; });
  expect_refused("intermediate.dense.weight");
}

TEST_F(Checkpoint, ATruncatedModelFileIsABadModel) {
  const auto whole = fs::file_size(path / "model.safetensors");
  for (const auto size : {whole - 1, whole / 2, uintmax_t{100}, uintmax_t{7}, uintmax_t{0}}) {
    fs::resize_file(path / "model.safetensors", size);
    expect_refused("model.safetensors");
  }
}

TEST_F(Checkpoint, AVocabularyOfAnotherSizeIsABadModel) {
  write_file_atomically(path / "vocab.txt", small_vocabulary + "d\n");
  expect_refused("9 tokens, but config.json says vocab_size = 8");
}

struct BadConfig {
  const char* what;
  std::function<void(Json&)> spoil;
  const char* complaint;
};

TEST_F(Checkpoint, EachConfigOutOfRangeIsABadModel) {
  const std::string config = read_file(path / "config.json", ErrorCode::bad_model);
  const BadConfig bad[] = {
      {"heads that do not divide the width", [](Json& json) { json["num_attention_heads"] = 3; },
       "not a multiple of num_attention_heads"},
      {"negative layers", [](Json& json) { json["num_hidden_layers"] = -3; },
       "num_hidden_layers is -3"},
      {"no heads", [](Json& json) { json["num_attention_heads"] = 0; }, "num_attention_heads is 0"},
      {"a fractional width", [](Json& json) { json["hidden_size"] = 8.5; }, "hidden_size is 8.5"},
      {"a huge vocabulary", [](Json& json) { json["vocab_size"] = 99999999999; }, "vocab_size"},
      {"dropout above one", [](Json& json) { json["hidden_dropout_prob"] = 1.5; },
       "hidden_dropout_prob is 1.5"},
      {"no width", [](Json& json) { json.erase("hidden_size"); }, "hidden_size is missing"},
      {"an unknown method", [](Json& json) { json["headroom"]["method"] = "magic"; },
       "method is \"magic\""},
      {"an unknown activation", [](Json& json) { json["hidden_act"] = "mish"; }, "mish"},
      {"too few gates",
       [](Json& json) {
         json["headroom"]["gates"]["offset"] = {1, 2, 3};
       },
       "offset has 3 values for 4 heads"},
      {"slopes of half the heads",
       [](Json& json) {
         json["headroom"]["gates"]["slope"] = {1, 2};
       },
       "slope has 2 values"},
      {"a gate that is no number",
       [](Json& json) { json["headroom"]["gates"]["offset"][0] = nullptr; }, "offset holds null"},
      {"no gates", [](Json& json) { json["headroom"].erase("gates"); }, "gates is missing"},
      {"one label", [](Json& json) { json["id2label"].erase("1"); }, "at least two labels"},
      {"a gap in the labels",
       [](Json& json) {
         json["id2label"].erase("1");
         json["id2label"]["2"] = "bad";
       },
       "needs a string under \"1\""},
      {"no headroom object", [](Json& json) { json.erase("headroom"); }, "must be imported first"},
      {"a newer format", [](Json& json) { json["headroom"]["format"] = 1000; },
       "written by a newer headroom"},
  };
  for (const BadConfig& entry : bad) {
    SCOPED_TRACE(entry.what);
    write_file_atomically(path / "config.json", config);
    edit_config(path, entry.spoil);
    expect_refused(entry.complaint);
  }
}

TEST_F(Checkpoint, ANumberTooLargeForADoubleIsABadModel) {
  std::string config = read_file(path / "config.json", ErrorCode::bad_model);
  const size_t at = config.find("-1.25");
  write_file_atomically(path / "config.json", config.replace(at, 5, "1e999"));
  expect_refused("config.json");
}

TEST_F(Checkpoint, AConfigThatIsNotJsonIsABadModel) {
  const std::string config = read_file(path / "config.json", ErrorCode::bad_model);
  for (const std::string& text : {config.substr(0, config.size() / 2), std::string("[]"),
                                  std::string(), std::string("\xff\xfe")}) {
    write_file_atomically(path / "config.json", text);
    expect_refused("config.json");
  }
}

TEST_F(Checkpoint, AFullDiskLeavesTheFormerOneReadable) {
  {
    const FullDisk disk(2048);  // config and vocabulary fit, 4 kB of weights do not
    expect_error(ErrorCode::runtime, "model.safetensors",
                 [&] { write_small(path, small_weights(2)); });
  }
  expect_equal(small_weights(1), read_weights(path));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing left behind";
}

TEST_F(Checkpoint, AFolderInsideAFileCannotBeWritten) {
  const fs::path file = folder.write("file", "precious");
  expect_error(ErrorCode::runtime, "file", [&] { write_small(file / "model", small_weights(2)); });
  EXPECT_EQ(read_file(file, ErrorCode::bad_data), "precious");
}

TEST_F(Checkpoint, AnotherOneTakesItsPlaceWhole) {
  folder.write("model/train_log.jsonl", "of the former");
  write_small(path, small_weights(2));
  expect_equal(small_weights(2), read_weights(path));
  EXPECT_FALSE(fs::exists(path / "train_log.jsonl"));
}

TEST(ImportedCheckpoint, GivesTheLogitsOfTransformers) {
  for (const std::string& name : testing::hf_models) {
    const TemporaryFolder folder;
    const ModelConfig config =
        import_hf_folder(testing::hf_model_folder(name), folder.path() / "model").config;
    const ModelWeights weights = read_weights(folder.path() / "model");
    for (const testing::HfCase& each : testing::hf_cases(name)) {
      Batch batch;
      batch.tokens = torch::tensor(each.tokens.ids, torch::kInt64).unsqueeze(0);
      if (!each.tokens.types.empty()) {
        batch.types = torch::tensor(each.tokens.types, torch::kInt64).unsqueeze(0);
      }
      ForwardOptions options;
      options.layer_norm_eps = config.layer_norm_eps;
      const torch::Tensor logits = forward(weights, batch, options).squeeze(0);
      const torch::Tensor expected = torch::tensor(each.logits, torch::kFloat32);
      EXPECT_TRUE(torch::allclose(logits, expected, /*rtol=*/0, /*atol=*/1e-5)) << each.text;
    }
  }
}

// Ids as they are: what reads texts is tested with the engine.
TEST(ImportedCheckpoint, GivesIdsOfRobertaTheLogitsOfTransformers) {
  const TemporaryFolder folder;
  import_hf_folder(testing::hf_model_folder("roberta-cls"), folder.path() / "model");
  const ModelWeights weights = read_weights(folder.path() / "model");
  for (const testing::HfCase& each : testing::hf_cases("roberta-cls")) {
    Batch batch;
    batch.tokens = torch::tensor(each.tokens.ids, torch::kInt64).unsqueeze(0);
    const torch::Tensor logits = forward(weights, batch).squeeze(0);
    const torch::Tensor expected = torch::tensor(each.logits, torch::kFloat32);
    EXPECT_TRUE(torch::allclose(logits, expected, /*rtol=*/0, /*atol=*/1e-5)) << each.text;
  }
}

TEST(ImportedCheckpoint, GivesIdsOfMpnetTheVectorsOfSentenceTransformers) {
  const TemporaryFolder folder;
  import_hf_folder(testing::hf_model_folder("mpnet-embed"), folder.path() / "model");
  const ModelWeights weights = read_weights(folder.path() / "model");
  for (const testing::HfCase& each : testing::hf_cases("mpnet-embed")) {
    Batch batch;
    batch.tokens = torch::tensor(each.tokens.ids, torch::kInt64).unsqueeze(0);
    const torch::Tensor mean = encode(weights, batch).squeeze(0).mean(0);
    const torch::Tensor expected = torch::tensor(each.embedding, torch::kFloat32);
    EXPECT_TRUE(torch::allclose(mean / mean.norm(), expected, 0, 1e-5)) << each.text;
  }
}

// A pretrained model: a masked head instead of a classifier.
class PretrainedCheckpoint : public ::testing::Test {
 protected:
  PretrainedCheckpoint() {
    config.method = Method::dense;
    config.gates.reset();
    config.task = Task::masked_lm;
    config.labels.clear();
    config.shape.labels = 0;
    weights = testing::random_weights(config.shape, 1, OutputHead::masked_lm);
  }
  void write(DType type) {
    ModelWeights stored = copy_weights(weights);
    write_checkpoint(path(),
                     {config, small_vocabulary, "# card\n", "", tensor_views(stored, type)});
  }
  fs::path path() const { return folder.path() / "model"; }

  ModelConfig config = small_config();
  ModelWeights weights;
  TemporaryFolder folder;
};

TEST_F(PretrainedCheckpoint, WeightsComeBackBitForBit) {
  write(DType::f32);
  const ModelWeights found = read_weights(path());
  ASSERT_TRUE(found.masked_head);
  EXPECT_FALSE(found.classifier.weight.defined());
  expect_equal(weights, found);
}

TEST_F(PretrainedCheckpoint, AsBf16KeepsTwoDigitsInHalfTheBytes) {
  write(DType::f32);
  const auto full = fs::file_size(path() / "model.safetensors");
  write(DType::bf16);
  EXPECT_LT(fs::file_size(path() / "model.safetensors"), full * 3 / 4) << "names take some";
  ModelWeights found = read_weights(path());
  std::vector<torch::Tensor> tensors;
  for_each_tensor(found,
                  [&](const std::string&, torch::Tensor& tensor) { tensors.push_back(tensor); });
  size_t next = 0;
  for_each_tensor(weights, [&](const std::string& name, const torch::Tensor& tensor) {
    const torch::Tensor& stored = tensors[next++];
    EXPECT_EQ(stored.scalar_type(), torch::kFloat32) << name;
    EXPECT_TRUE(torch::allclose(stored, tensor, /*rtol=*/1e-2, /*atol=*/0)) << name;
    EXPECT_FALSE(torch::equal(stored, tensor)) << name;
  });
}

TEST_F(PretrainedCheckpoint, ReadAsAClassifierIsABadModel) {
  write(DType::f32);
  config.task = Task::classify;
  config.shape.labels = 2;
  expect_error(ErrorCode::bad_model, "tensors, config.json implies",
               [&] { load_weights(path(), config); });
}

}  // namespace
}  // namespace headroom
