// config.json of families whose networks have settings of their own: what is read comes back, and
// what changes the arithmetic and is not computed is refused by name.
#include <gtest/gtest.h>

#include "checkpoint/hf/config.h"
#include "hf_model.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

Json config_of(const std::string& name) {
  return without_nulls(
      parse_json(read_file(hf_model_folder(name) / "config.json", ErrorCode::bad_data),
                 ErrorCode::bad_data, "config.json"));
}

struct Changed {
  const char* model;
  const char* key;
  Json value;
};

TEST(NetworkConfig, IsRefusedByNameWhereItIsNotComputed) {
  const std::vector<Changed> cases = {
      {"modernbert-cls", "architectures", Json::array({"ModernBertForTokenClassification"})},
      {"modernbert-cls", "attention_bias", true},
      {"modernbert-cls", "mlp_bias", true},
      {"modernbert-cls", "norm_bias", true},
      {"modernbert-cls", "classifier_bias", true},
      {"modernbert-cls", "classifier_activation", "relu"},
      {"modernbert-cls", "classifier_pooling", "max"},
      {"modernbert-cls", "layer_types",
       Json::array({"full_attention", "full_attention", "full_attention", "full_attention"})},
      {"modernbert-cls", "global_attn_every_n_layers", 2},
      {"deberta-v2-cls", "relative_attention", false},
      {"deberta-v2-cls", "conv_kernel_size", 3},
      {"deberta-v2-cls", "embedding_size", 16},
      {"deberta-v2-cls", "pooler_hidden_size", 16},
      {"deberta-v2-cls", "attention_head_size", 4},
      {"deberta-v2-cls", "pooler_hidden_act", "tanh"},
      {"deberta-v2-cls", "pos_att_type", Json::array({"c2p", "p2p"})},
      {"deberta-v2-cls", "norm_rel_ebd", "batch_norm"},
      {"deberta-v2-cls", "position_buckets", 1}};
  for (const Changed& each : cases) {
    Json json = config_of(each.model);
    json[each.key] = each.value;
    const bool counted = std::string(each.key) == "global_attn_every_n_layers";
    expect_error(ErrorCode::bad_model, counted ? "layer_types" : each.key,
                 [&] { read_hf_config(json); });
  }
}

TEST(NetworkConfig, OfAnotherRotationIsRefused) {
  Json json = config_of("modernbert-cls");
  json["rope_parameters"]["full_attention"]["rope_type"] = "yarn";
  expect_error(ErrorCode::bad_model, "rope_type", [&] { read_hf_config(json); });
}

TEST(NetworkConfig, ReadsWhatOlderVersionsWrote) {
  Json json = config_of("modernbert-cls");
  json.erase("rope_parameters");
  json.erase("layer_types");
  json["global_rope_theta"] = 80000.0;
  json["local_rope_theta"] = 500.0;
  const RotaryShape rotary = read_hf_config(json).config.shape.rotary;
  EXPECT_EQ(rotary.theta_of(0), 80000.0);
  EXPECT_EQ(rotary.theta_of(1), 500.0);
  EXPECT_EQ(rotary.window_of(1), 8);
  EXPECT_EQ(rotary.window_of(3), 0);
  json["local_rope_theta"] = nullptr;
  EXPECT_EQ(read_hf_config(json).config.shape.rotary.theta_of(1), 80000.0) << "that of the others";
  json.erase("local_rope_theta");
  EXPECT_EQ(read_hf_config(json).config.shape.rotary.theta_of(1), 10000.0);
  json = config_of("deberta-v2-cls");
  json["pos_att_type"] = "c2p|p2c";
  EXPECT_EQ(read_hf_config(json).config.shape.disentangled.terms(), 3);
  json["pos_att_type"] = "c2p";
  EXPECT_EQ(read_hf_config(json).config.shape.disentangled.terms(), 2);
}

TEST(NetworkConfig, ComesBackFromACheckpoint) {
  for (const char* name : {"modernbert-cls", "deberta-v2-cls"}) {
    const ModelConfig config = read_hf_config(config_of(name)).config;
    EXPECT_EQ(config_from_json(config_to_json(config)).shape, config.shape) << name;
    Json exported = config_to_json(config);
    exported.erase("headroom");
    EXPECT_EQ(read_hf_config(exported).config.shape, config.shape) << name;
  }
}

}  // namespace
}  // namespace headroom
