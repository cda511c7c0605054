// Hugging Face folders that are damaged, of another kind or hostile. Each is refused by a typed
// error that names what is wrong, and nothing is written.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "checkpoint/hf_fixture.h"

namespace headroom {
namespace {
using namespace testing;

struct BadFolder {
  const char* name;
  const char* complaint;
  std::function<void(HfFixture&)> damage;  // before or after writing: it calls write_all()
};

void PrintTo(const BadFolder& bad, std::ostream* stream) {
  *stream << bad.name;
}

// The folder with one key of config.json changed.
auto with_key(const char* key, Json value) {
  return [key, value](HfFixture& fixture) {
    fixture.config[key] = value;
    fixture.write_all();
  };
}

auto without_file(const char* name) {
  return [name](HfFixture& fixture) {
    fixture.write_all();
    std::filesystem::remove(fixture.path() / name);
  };
}

auto with_file(const char* name, std::string content) {
  return [name, content](HfFixture& fixture) {
    fixture.write_all();
    fixture.write(name, content);
  };
}

// A name that is a link to `target`, seen from the folder.
auto with_link(const char* name, const char* target) {
  return [name, target](HfFixture& fixture) {
    fixture.write_all();
    fixture.folder().write("outside", hf_tokens);
    std::filesystem::remove(fixture.path() / name);
    std::filesystem::create_symlink(target, fixture.path() / name);
  };
}

auto with_tensor(const char* name, HfTensor tensor) {
  return [name, tensor](HfFixture& fixture) {
    fixture.tensors[name] = tensor;
    fixture.write_all();
  };
}

auto with_value(float value, DType type = DType::f32) {
  return [value, type](HfFixture& fixture) {
    HfTensor& tensor = fixture.tensors["classifier.weight"];
    tensor.values[3] = value;
    tensor.dtype = type;
    fixture.write_all();
  };
}

// Only what the index says is there: `files` of them, each with the tensors of `names`.
auto with_index(std::string index, std::vector<const char*> files = {}) {
  return [index, files](HfFixture& fixture) {
    fixture.write_companions();
    fixture.write("model.safetensors.index.json", index);
    for (const char* file : files) fixture.write_weights(file, {"classifier.bias"});
  };
}

std::string header_of_ten_gigabytes() {
  const std::string header =
      R"({"classifier.bias":{"dtype":"F32","shape":[2684354560],"data_offsets":[0,10737418240]}})";
  return std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header;
}

const float nan = std::numeric_limits<float>::quiet_NaN();
const float infinity = std::numeric_limits<float>::infinity();
const char* const one_shard = R"({"weight_map":{"classifier.bias":"a.safetensors"}})";

const BadFolder bad_folders[] = {
    // Files.
    {"NoConfig", "config.json is missing", without_file("config.json")},
    {"NoVocabulary", "neither vocab.txt nor tokenizer.json", without_file("vocab.txt")},
    {"NoWeights", "neither model.safetensors nor", without_file("model.safetensors")},
    {"ConfigIsNoJson", "not valid JSON", with_file("config.json", "{")},
    {"ConfigIsAList", "not a JSON object", with_file("config.json", "[]")},
    {"ConfigKeyTwice", "appears twice", with_file("config.json", R"({"a":1,"a":2})")},
    {"Pickle", "pytorch_model.bin is a pickle, which can run code",
     [](HfFixture& fixture) {
       fixture.write_companions();
       fixture.write("pytorch_model.bin", "\x80\x02");
     }},
    {"TensorFlow", "tf_model.h5 holds weights of TensorFlow",
     [](HfFixture& fixture) {
       fixture.write_companions();
       fixture.write("tf_model.h5", "");
     }},
    {"LinkOut", "vocab.txt is a link out of the folder", with_link("vocab.txt", "../outside")},
    {"WeightsLinkOut", "import it with --follow-links",
     with_link("model.safetensors", "../outside")},
    {"AbsoluteLink", "config.json is a link out", with_link("config.json", "/etc/hostname")},
    {"BrokenLink", "config.json leads nowhere", with_link("config.json", "nothing")},
    {"LinkToItself", "config.json leads nowhere", with_link("config.json", "config.json")},
    {"FolderForAFile", "vocab.txt is not a regular file",
     [](HfFixture& fixture) {
       fixture.write_all();
       std::filesystem::remove(fixture.path() / "vocab.txt");
       std::filesystem::create_directory(fixture.path() / "vocab.txt");
     }},
    // Another network.
    {"AnotherFamily", "model_type is \"albert\"", with_key("model_type", "albert")},
    {"QuestionAnswering", "architectures is \"BertForQuestionAnswering\"",
     with_key("architectures", {"BertForQuestionAnswering"})},
    {"OtherActivation", "hidden_act is \"mish\"", with_key("hidden_act", "mish")},
    {"RelativePositions", "position_embedding_type is \"relative_key\"",
     with_key("position_embedding_type", "relative_key")},
    {"Decoder", "is_decoder is true", with_key("is_decoder", true)},
    {"CrossAttention", "add_cross_attention is true", with_key("add_cross_attention", true)},
    {"Regression", "problem_type is \"regression\"", with_key("problem_type", "regression")},
    {"ProblemType", "problem_type is \"ranking\"", with_key("problem_type", "ranking")},
    {"OneLabel", "classifier.weight", with_key("id2label", {{"0", "score"}})},
    {"PrunedHeads", "pruned_heads is set", with_key("pruned_heads", {{"0", {1}}})},
    {"Quantised", "quantization_config is set", with_key("quantization_config", {{"bits", 4}})},
    {"LabelTwice", "id2label has a label twice", with_key("id2label", {{"0", "a"}, {"1", "a"}})},
    {"LabelGap", "needs a string under \"1\"", with_key("id2label", {{"0", "a"}, {"2", "b"}})},
    {"LabelCount", "num_labels is 3, but id2label has 2", with_key("num_labels", 3)},
    {"NoLayers", "num_hidden_layers is 0", with_key("num_hidden_layers", 0)},
    {"OddHeads", "not a multiple", with_key("num_attention_heads", 3)},
    // Tensors.
    {"WrongShape", "has shape [2], expected [4]",
     with_tensor("bert.pooler.dense.bias", {{2}, {1, 2}})},
    {"ShapesOfAnotherConfig", "does config.json belong to it?", with_key("intermediate_size", 8)},
    {"MissingTensor", "no tensor \"classifier.bias\"",
     [](HfFixture& fixture) {
       fixture.tensors.erase("classifier.bias");
       fixture.write_all();
     }},
    {"ExtraTensor", "\"bert.adapter.weight\" is no tensor of a BertForSequenceClassification",
     with_tensor("bert.adapter.weight", {{1}, {1}})},
    {"ExtraLayer", "is no tensor of a",
     with_tensor("bert.encoder.layer.1.output.dense.bias", {{4}, {1, 2, 3, 4}})},
    {"ClassifierOfABareModel", "\"classifier.bias\" is no tensor of a BertModel",
     with_key("architectures", {"BertModel"})},
    {"NormTwice", "both \"bert.embeddings.LayerNorm.weight\" and",
     with_tensor("bert.embeddings.LayerNorm.gamma", {{4}, {1, 1, 1, 1}})},
    {"NotANumber", "element 3 of tensor \"classifier.weight\" is NaN or infinite", with_value(nan)},
    {"Infinite", "is NaN or infinite", with_value(-infinity)},
    {"InfiniteHalf", "is NaN or infinite", with_value(infinity, DType::f16)},
    {"NotANumberInBf16", "is NaN or infinite", with_value(nan, DType::bf16)},
    {"TenGigabytesInOneKilobyte", "model.safetensors",
     with_file("model.safetensors", header_of_ten_gigabytes())},
    // Shards.
    {"ShardMissing", "a.safetensors is missing", with_index(one_shard)},
    {"ShardOutside", "names the shard \"../a.safetensors\"",
     with_index(R"({"weight_map":{"x":"../a.safetensors"}})")},
    {"ShardAbsolute", "names the shard \"/a.safetensors\"",
     with_index(R"({"weight_map":{"x":"/a.safetensors"}})")},
    {"ShardIsTheIndex", "names the shard \"model.safetensors.index.json\"",
     with_index(R"({"weight_map":{"x":"model.safetensors.index.json"}})")},
    {"ShardIsAPickle", "names the shard \"a.bin\"", with_index(R"({"weight_map":{"x":"a.bin"}})")},
    {"ShardIsNoName", "no file name", with_index(R"({"weight_map":{"x":3}})")},
    {"NoWeightMap", "has no weight_map", with_index(R"({"weight_map":{}})")},
    {"TensorListedTwice", "appears twice",
     with_index(R"({"weight_map":{"x":"a.safetensors","x":"b.safetensors"}})")},
    {"TensorNotInItsShard", "looks for \"x\" in a.safetensors, where it is not",
     with_index(R"({"weight_map":{"classifier.bias":"a.safetensors","x":"a.safetensors"}})",
                {"a.safetensors"})},
    {"TensorInTwoShards", "b.safetensors holds \"classifier.bias\", which",
     with_index(R"({"weight_map":{"classifier.bias":"a.safetensors","x":"b.safetensors"}})",
                {"a.safetensors", "b.safetensors"})},
    {"ShardsTooSmall", "declares 10737418240 bytes of tensors, its shards hold 8",
     with_index(R"({"metadata":{"total_size":10737418240},)"
                R"("weight_map":{"classifier.bias":"a.safetensors"}})",
                {"a.safetensors"})},
    // Tokenizer.
    {"OtherVocabularySize", "has 8 tokens, but config.json says vocab_size = 7",
     with_file("vocab.txt", std::string(hf_tokens) + "bad\n")},
    {"NoSeparator", "has no [SEP] token",
     with_file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\na\nb\nc\nd\n")},
    {"TokenTwice", "repeats \"good\"",
     with_file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ngood\ngood\n")},
    {"OtherTokenizer", "tokenizer_class is \"RobertaTokenizer\"",
     with_file("tokenizer_config.json", R"({"tokenizer_class":"RobertaTokenizer"})")},
    {"AccentsKept", "strip_accents is false",
     with_file("tokenizer_config.json", R"({"do_lower_case":true,"strip_accents":false})")},
    {"ChineseKept", "tokenize_chinese_chars is false",
     with_file("tokenizer_config.json", R"({"tokenize_chinese_chars":false})")},
    {"NoBasicTokens", "do_basic_tokenize is false",
     with_file("tokenizer_config.json", R"({"do_basic_tokenize":false})")},
    {"NeverSplit", "never_split is set",
     with_file("tokenizer_config.json", R"({"never_split":["a b"]})")},
    {"OtherSeparator", "sep_token is \"</s>\", expected \"[SEP]\"",
     with_file("tokenizer_config.json", R"({"sep_token":{"content":"</s>"}})")},
    {"OtherSeparatorInTheMap", "special_tokens_map.json cls_token is \"<s>\"",
     with_file("special_tokens_map.json", R"({"cls_token":"<s>"})")},
    {"AddedToken", "added_tokens.json", with_file("added_tokens.json", R"({"<user>":7})")},
    {"AddedTokenInTheSettings", "added_tokens_decoder has \"<user>\"",
     with_file("tokenizer_config.json", R"({"added_tokens_decoder":{"7":{"content":"<user>"}}})")},
    {"FastTokenizerMissing", "tokenizer.json is missing",
     with_file("tokenizer_config.json", R"({"tokenizer_class":"PreTrainedTokenizerFast"})")},
};

class BadFolders : public ::testing::TestWithParam<BadFolder> {};

TEST_P(BadFolders, AreRefusedAndNothingIsWritten) {
  HfFixture fixture;
  GetParam().damage(fixture);
  expect_error(ErrorCode::bad_model, GetParam().complaint,
               [&] { import_hf_folder(fixture.path(), fixture.out()); });
  EXPECT_FALSE(std::filesystem::exists(fixture.out()));
}

INSTANTIATE_TEST_SUITE_P(HfImport, BadFolders, ::testing::ValuesIn(bad_folders),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(HfImport, AFolderThatIsNotThereIsABadModel) {
  expect_error(ErrorCode::bad_model, "is not a directory",
               [] { import_hf_folder("nowhere", "out"); });
}

TEST(HfImport, ATensorNameTwiceInOneFileIsABadModel) {
  HfFixture fixture;
  fixture.write_all();
  const std::string entry = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  const std::string header = "{" + entry + "," + entry + "}";
  fixture.write("model.safetensors", std::string(1, static_cast<char>(header.size())) +
                                         std::string(7, '\0') + header + "1234");
  expect_error(ErrorCode::bad_model, "\"a\"",
               [&] { import_hf_folder(fixture.path(), fixture.out()); });
}

}  // namespace
}  // namespace headroom
