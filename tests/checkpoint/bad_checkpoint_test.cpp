// Checkpoints of ours with one file damaged: each is refused as a bad model, with the reason.
// tests/checkpoint/safetensors_bad_files_test.cpp has what can be wrong with the weights,
// hf_bad_folder_test.cpp what comes from elsewhere.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <functional>
#include <limits>

#include "base/files/file.h"
#include "checkpoint/latency_file.h"
#include "checkpoint/score_file.h"
#include "checkpoint/sliced_tensors.h"
#include "checkpoint/small_checkpoint.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;
namespace fs = std::filesystem;

// Everything that is ever read of a checkpoint.
void read_whole(const fs::path& folder) {
  const ModelConfig config = read_config(folder);
  read_vocabulary(folder, config);
  const SlicedTensors tensors(folder / "model.safetensors", config);
  find_latency_table(folder, "a CPU", "fp32", 1);
  read_scores(folder);
}

struct BadCheckpoint {
  const char* name;
  const char* complaint;
  std::function<void(const fs::path& folder)> damage;
};

void PrintTo(const BadCheckpoint& bad, std::ostream* stream) {  // NOLINT: GoogleTest's name
  *stream << bad.name;
}

auto with_text(const char* file, std::string text) {
  return [file, text](const fs::path& folder) { write_file_atomically(folder / file, text); };
}

// config.json with a patch (RFC 7386) applied: null removes a key.
auto with_config(const char* patch) {
  return [patch](const fs::path& folder) {
    Json json = config_to_json(small_config());
    json.merge_patch(Json::parse(patch));
    write_file_atomically(folder / "config.json", json.dump());
  };
}

auto without(const char* file) {
  return [file](const fs::path& folder) { fs::remove(folder / file); };
}

auto with_pipe(const char* file) {
  return [file](const fs::path& folder) {
    fs::remove(folder / file);
    ASSERT_EQ(mkfifo((folder / file).c_str(), 0600), 0);
  };
}

// The file elsewhere, with a link in its place.
auto with_link(const char* file) {
  return [file](const fs::path& folder) {
    fs::rename(folder / file, folder.parent_path() / "target");
    fs::create_symlink("../target", folder / file);
  };
}

// A weight's bytes changed, with or without the checksum that says so.
auto with_weight(float value, bool checksum) {
  return [value, checksum](const fs::path& folder) {
    std::string bytes = read_file(folder / "model.safetensors", ErrorCode::bad_model);
    std::memcpy(bytes.data() + bytes.size() - 2 * sizeof(value), &value, sizeof(value));
    write_file_atomically(folder / "model.safetensors", bytes);
    if (checksum) return;
    Json json = Json::parse(read_file(folder / "config.json", ErrorCode::bad_model));
    json["headroom"].erase("weights_xxh64");
    write_file_atomically(folder / "config.json", json.dump());
  };
}

// A file of zeros that takes no room on disk.
auto with_size(const char* file, uintmax_t bytes) {
  return [file, bytes](const fs::path& folder) { fs::resize_file(folder / file, bytes); };
}

std::string many_keys() {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  return text + "\"last\":0}";
}

const BadCheckpoint bad_checkpoints[] = {
    // Files that are not there, or no files.
    {"NoConfig", "config.json: No such file", without("config.json")},
    {"NoVocabulary", "vocab.txt: No such file", without("vocab.txt")},
    {"NoWeights", "model.safetensors: No such file", without("model.safetensors")},
    {"ConfigIsAPipe", "is not a regular file", with_pipe("config.json")},
    {"VocabularyIsAPipe", "is not a regular file", with_pipe("vocab.txt")},
    {"WeightsAreAPipe", "is not a regular file", with_pipe("model.safetensors")},
    {"ConfigIsALink", "config.json: is a link", with_link("config.json")},
    {"VocabularyIsALink", "vocab.txt: is a link", with_link("vocab.txt")},
    {"WeightsAreALink", "model.safetensors: is a link", with_link("model.safetensors")},
    // Weights. The last floats of the file are those of the last tensor by name, 2 x 4.
    {"NotANumber", "element 6 of tensor \"classifier.weight\" is NaN or infinite",
     with_weight(std::numeric_limits<float>::quiet_NaN(), false)},
    {"Infinite", "element 6 of tensor \"classifier.weight\" is NaN or infinite",
     with_weight(-std::numeric_limits<float>::infinity(), false)},
    {"DamagedWeights", "a damaged copy", with_weight(0.25F, true)},
    {"ChecksumIsNoNumber", "expected 16 hexadecimal digits",
     with_config(R"({"headroom":{"weights_xxh64":"0x1"}})")},
    {"ConfigOfAGigabyte", "more than the limit of", with_size("config.json", 1U << 30U)},
    {"VocabularyOfAGigabyte", "more than the limit of", with_size("vocab.txt", 1U << 30U)},
    {"WeightsOfATebibyte", "belong to no tensor", with_size("model.safetensors", 1ULL << 40U)},
    // config.json as text.
    {"EmptyConfig", "not valid JSON", with_text("config.json", "")},
    {"ConfigCutShort", "not valid JSON", with_text("config.json", R"({"model_type":"bert")")},
    {"ConfigIsAList", "a JSON object was expected", with_text("config.json", "[]")},
    {"ConfigHiddenBehindNul", "NUL byte", with_text("config.json", std::string("{}\0{}", 5))},
    {"ConfigKeyTwice", "\"a\" appears twice", with_text("config.json", R"({"a":1,"a":2})")},
    {"ConfigTooDeep", "nested deeper", with_text("config.json", std::string(100'000, '['))},
    {"ConfigOfTooManyKeys", "too many keys", with_text("config.json", many_keys())},
    {"ConfigNotUtf8", "not valid JSON", with_text("config.json", "{\"a\":\"\xff\"}")},
    // Sizes out of range, one of them the class of CVE-2025-53630 and CVE-2026-27940: numbers whose
    // product wraps around.
    {"NegativeLayers", "num_hidden_layers is -1", with_config(R"({"num_hidden_layers":-1})")},
    {"NoLayers", "num_hidden_layers is 0", with_config(R"({"num_hidden_layers":0})")},
    {"LayersOfTwoTo64", "num_hidden_layers is 1.8446744073709552e+19",
     with_config(R"({"num_hidden_layers":18446744073709551616})")},
    {"LayersAsText", "num_hidden_layers is \"2\"", with_config(R"({"num_hidden_layers":"2"})")},
    {"HalfALayer", "num_hidden_layers is 2.5", with_config(R"({"num_hidden_layers":2.5})")},
    {"WidthThatHeadsDoNotDivide", "not a multiple of", with_config(R"({"hidden_size":5})")},
    {"WidthWhoseProductsWrap", "hidden_size is 4294967296",
     with_config(R"({"hidden_size":4294967296,"intermediate_size":4294967296})")},
    {"FfnTooWide", "intermediate_size is 1048577", with_config(R"({"intermediate_size":1048577})")},
    {"OtherWidthThanTheWeights", "has shape", with_config(R"({"hidden_size":8})")},
    {"OneLayerMoreThanTheWeights", "has no tensor", with_config(R"({"num_hidden_layers":3})")},
    {"VocabularyOfAnotherModel", "files of two models?", with_config(R"({"vocab_size":5})")},
    {"NegativeEpsilon", "layer_norm_eps", with_config(R"({"layer_norm_eps":-1})")},
    // What the network computes.
    {"AnotherNetwork", "model_type is \"gpt2\"", with_config(R"({"model_type":"gpt2"})")},
    {"AnotherActivation", "hidden_act is \"mish\"", with_config(R"({"hidden_act":"mish"})")},
    {"NoHeadroomObject", "headroom is missing", with_config(R"({"headroom":null})")},
    {"NewerFormat", "written by a newer headroom?", with_config(R"({"headroom":{"format":99}})")},
    {"UnknownTask", "task is \"paint\"", with_config(R"({"headroom":{"task":"paint"}})")},
    {"UnknownMethod", "method is \"magic\"", with_config(R"({"headroom":{"method":"magic"}})")},
    {"UnknownAttention", "attention is \"flash\"",
     with_config(R"({"headroom":{"attention":"flash"}})")},
    {"GatesOfAnotherShape", "has 1 values for 4 heads",
     with_config(R"({"headroom":{"method":"budgeted","gates":{"offset":[0],"slope":[1]}}})")},
    {"GatesAreText", "expected finite numbers",
     with_config(R"({"headroom":{"method":"budgeted","gates":{"offset":["0"],"slope":[1]}}})")},
    {"OrderOfAnotherShape", "appears 1 times, expected 2",
     with_config(R"({"headroom":{"method":"nested","order":["h0","h1"]}})")},
    // The index from a name, as in the loader bugs of August 2026.
    {"OrderNamesALayerThatIsNot", "\"h2\" is no unit",
     with_config(R"({"headroom":{"method":"nested","order":["h2"]}})")},
    {"OrderNamesANegativeLayer", "\"h-1\" is no unit",
     with_config(R"({"headroom":{"method":"nested","order":["h-1"]}})")},
    {"OrderNamesALayerBeyondAnInt", "\"h4294967296\" is no unit",
     with_config(R"({"headroom":{"method":"nested","order":["h4294967296"]}})")},
    {"StoredHeadsThatAreNot", "expected ascending numbers below 2",
     with_config(R"({"headroom":{"stored":{"heads":[[0,5],[0]],"ffn":[6,6]}}})")},
    {"StoredFfnTooWide", "expected 0 to 6",
     with_config(R"({"headroom":{"stored":{"heads":[[0],[0]],"ffn":[6,7]}}})")},
    // Labels.
    {"NoLabels", "id2label is missing", with_config(R"({"id2label":null})")},
    {"OneLabel", "at least two labels", with_config(R"({"id2label":{"1":null}})")},
    {"LabelsWithAHole", "needs a string under \"1\"",
     with_config(R"({"id2label":{"1":null,"2":"x"}})")},
    {"LabelTwice", "has a label twice", with_config(R"({"id2label":{"1":"bad"}})")},
    // vocab.txt.
    {"EmptyVocabulary", "is empty", with_text("vocab.txt", "")},
    {"VocabularyWithoutSpecials", "has no [PAD] token", with_text("vocab.txt", "a\nb\n")},
    {"TokenTwice", "line 2 repeats \"a\"", with_text("vocab.txt", "a\na\n")},
    {"EmptyLine", "line 2 is empty", with_text("vocab.txt", "a\n\nb\n")},
    {"TokenNotUtf8", "line 1 is not valid UTF-8", with_text("vocab.txt", "\xc3\n")},
    {"TokenOfAThousandAndOneBytes", "1001 bytes long",
     with_text("vocab.txt", std::string(1001, 'x'))},
    {"TokenWithNul", "holds a space or control", with_text("vocab.txt", std::string("a\0b\n", 4))},
    // What lies beside the model.
    {"LatencyIsNoTable", "tables is missing", with_text("latency.json", "{}")},
    {"LatencyOfNoTime", "median_ms is 0",
     with_text("latency.json", R"({"tables":[{"machine":"a CPU","precision":"fp32","threads":1,)"
                               R"("cells":[{"budget":1,"tokens":8,"median_ms":0,"p90_ms":1}]}]})")},
    {"LatencyOfNoBudget", "budget is -1",
     with_text("latency.json",
               R"({"tables":[{"machine":"a CPU","precision":"fp32","threads":1,)"
               R"("cells":[{"budget":-1,"tokens":8,"median_ms":1,"p90_ms":1}]}]})")},
    {"LatencyWithoutCells", "holds 0 cells",
     with_text("latency.json", R"({"tables":[{"machine":"a CPU","precision":"fp32","threads":1,)"
                               R"("cells":[]}]})")},
    {"ScoresWithoutACurve", "curve is empty",
     with_text("scores.json", R"({"data":"a","precision":"fp32","date":"b","curve":[]})")},
};

class BadCheckpointFile : public ::testing::TestWithParam<BadCheckpoint> {};

TEST_P(BadCheckpointFile, IsRefusedWithTheReason) {
  const TemporaryFolder folder;
  const fs::path model = folder.path() / "model";
  write_small_checkpoint(model);
  GetParam().damage(model);
  expect_error(ErrorCode::bad_model, GetParam().complaint, [&] { read_whole(model); });
}

INSTANTIATE_TEST_SUITE_P(Of, BadCheckpointFile, ::testing::ValuesIn(bad_checkpoints),
                         [](const auto& bad) { return bad.param.name; });

TEST(GoodCheckpointFile, IsAccepted) {
  const TemporaryFolder folder;
  write_small_checkpoint(folder.path() / "model");
  EXPECT_NO_THROW(read_whole(folder.path() / "model"));
  EXPECT_EQ(verify_weights(folder.path() / "model", read_config(folder.path() / "model")),
            small_config().tensors().size());
}

// Written before there were checksums, or changed by a program that knows none.
TEST(GoodCheckpointFile, MayHaveNoChecksum) {
  const TemporaryFolder folder;
  write_small_checkpoint(folder.path() / "model");
  with_weight(0.25F, false)(folder.path() / "model");
  EXPECT_NO_THROW(read_whole(folder.path() / "model"));
}

TEST(Checkpoint, WithWeightsThatAreNotFiniteIsNotWritten) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1, std::numeric_limits<float>::quiet_NaN()};
  const CheckpointContent content{
      small_config(), "", "", "", {{"w", DType::f32, {2}, std::as_bytes(std::span(values))}}};
  expect_error(ErrorCode::runtime, "element 1 of tensor \"w\"",
               [&] { write_checkpoint(folder.path() / "model", content); });
  EXPECT_FALSE(fs::exists(folder.path() / "model"));
}

}  // namespace
}  // namespace headroom
