// The engine against what Hugging Face's Transformers computed: text to logits. Needs
// shared/hf/bert-random-tiny, beside the repository or under $HEADROOM_HF.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "checkpoint/make_tokenizer.h"
#include "checkpoint/tensor_names.h"
#include "engine/encoder.h"
#include "engine/weights.h"
#include "text/vocabulary.h"

namespace headroom {
namespace {

std::filesystem::path hf_folder() {
  const char* given = std::getenv("HEADROOM_HF");
  const std::filesystem::path base = given != nullptr ? given : HEADROOM_SOURCE_DIR "/../shared/hf";
  return base / "bert-random-tiny";
}

Json json_file(const std::filesystem::path& path) {
  return parse_json(read_file(path, ErrorCode::bad_data), ErrorCode::bad_data, path.string());
}

// Its config.json has no "headroom" object, so the config is put together here.
ModelConfig hf_config(const Json& json) {
  ModelConfig config;
  config.shape.layers = json.at("num_hidden_layers");
  config.shape.width = json.at("hidden_size");
  config.shape.heads = json.at("num_attention_heads");
  config.shape.ffn = json.at("intermediate_size");
  config.shape.vocabulary = json.at("vocab_size");
  config.shape.positions = json.at("max_position_embeddings");
  config.shape.token_types = json.at("type_vocab_size");
  config.shape.labels = static_cast<int64_t>(json.at("id2label").size());
  config.layer_norm_eps = json.at("layer_norm_eps");
  return config;
}

class HuggingFaceModel : public ::testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(hf_folder() / "expected.json")) {
      GTEST_SKIP() << "no " << hf_folder() << "; set HEADROOM_HF to the folder that holds it";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(On, HuggingFaceModel, ::testing::ValuesIn(usable_isas()),
                         [](const auto& tested) { return std::string(isa_name(tested.param)); });

TEST_P(HuggingFaceModel, TextsAndPairsGetTransformersLogits) {
  const ModelConfig config = hf_config(json_file(hf_folder() / "config.json"));
  const EngineWeights weights =
      load_engine_weights(hf_folder() / "model.safetensors", config, Precision::fp32);
  const auto tokenizer = make_tokenizer(
      TokenizerKind::wordpiece, true,
      Vocabulary::from_text(read_file(hf_folder() / "vocab.txt", ErrorCode::bad_model)));
  const Encoder encoder(weights, kernels_for(GetParam()));
  const Plan plan = make_plan(weights, all_heads(config.shape.layers, config.shape.heads));
  Arena arena;
  std::vector<float> logits(4);
  const Json expected = json_file(hf_folder() / "expected.json");
  for (const Json& entry : expected.at("cases")) {
    const std::string text = entry.at("text");
    const EncodedPair tokens =
        entry.at("text_pair").is_null()
            ? EncodedPair{tokenizer->encode(text, 128), {}}
            : tokenizer->encode_pair(text, entry.at("text_pair").get<std::string>(), 128);
    const Sequence sequence = {tokens.ids, tokens.types};
    encoder.run({&sequence, 1}, plan, logits, arena);
    for (size_t i = 0; i < logits.size(); ++i) {
      EXPECT_NEAR(logits[i], entry.at("logits").at(i).get<double>(), 1e-5) << text;
    }
  }
}

}  // namespace
}  // namespace headroom
