// A tiny Hugging Face folder, whole and well, for tests to damage: 1 layer, width 4, 2 heads, FFN
// 6, 7 tokens, 5 positions, 2 labels.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "checkpoint/hf/import.h"
#include "checkpoint/hf/tokenizer.h"
#include "checkpoint/tensors/convert.h"
#include "checkpoint/tensors/safetensors_writer.h"
#include "families/schema.h"
#include "support.h"

namespace headroom::testing {

inline constexpr std::string_view hf_tokens = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ngood\n##ly\n";

struct HfTensor {
  std::vector<int64_t> shape;
  std::vector<float> values;
  DType dtype = DType::f32;
};

class HfFixture {
 public:
  HfFixture() {
    const ModelShape shape = {.layers = 1,
                              .width = 4,
                              .heads = 2,
                              .ffn = 6,
                              .vocabulary = 7,
                              .positions = 5,
                              .token_types = 2,
                              .labels = 2};
    float next = 0;
    for (const TensorSpec& entry : tensor_specs(shape)) {
      HfTensor& tensor = tensors[entry.name];
      tensor.shape = entry.shape;
      int64_t count = 1;
      for (const int64_t side : entry.shape) count *= side;
      // Multiples of 1/8 below 32: exact in every type.
      for (int64_t i = 0; i < count; ++i) tensor.values.push_back((next += 0.125F) - 16);
    }
    std::filesystem::create_directory(path());
  }

  std::filesystem::path path() const { return folder_.path() / "hf"; }
  std::filesystem::path out() const { return folder_.path() / "model"; }
  const TemporaryFolder& folder() const { return folder_; }

  void write(const std::string& name, std::string_view content) const {
    folder_.write("hf/" + name, content);
  }
  void rename(const std::string& from, const std::string& to) {
    auto node = tensors.extract(from);
    node.key() = to;
    tensors.insert(std::move(node));
  }
  // BertModel's names: no prefix, no classifier.
  void make_bare() {
    config["architectures"] = {"BertModel"};
    tensors.erase("classifier.weight");
    tensors.erase("classifier.bias");
    std::map<std::string, HfTensor> bare;
    for (auto& [name, tensor] : tensors) bare[name.substr(5)] = tensor;
    tensors = bare;
  }

  // The tensors whose names are listed, or all, in one file.
  void write_weights(const std::string& file, const std::vector<std::string>& names = {}) const {
    std::map<std::string, std::vector<std::byte>> bytes;
    std::vector<TensorView> views;
    for (const auto& [name, tensor] : tensors) {
      if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
      bytes[name] = encode_f32(tensor.dtype, tensor.values);
      views.push_back({name, tensor.dtype, tensor.shape, bytes[name]});
    }
    write_safetensors(path() / file, views, {{"format", "pt"}});
  }

  // All files but the weights.
  void write_companions() const {
    write("config.json", config.dump());
    write("vocab.txt", hf_tokens);
    write("tokenizer_config.json", R"({"do_lower_case":true,"tokenizer_class":"BertTokenizer"})");
  }
  void write_all() const {
    write_companions();
    write_weights("model.safetensors");
  }
  ImportReport imported() const {
    write_all();
    return import_hf_folder(path(), out());
  }

  Json config = {{"architectures", {"BertForSequenceClassification"}},
                 {"model_type", "bert"},
                 {"hidden_act", "gelu"},
                 {"hidden_size", 4},
                 {"num_hidden_layers", 1},
                 {"num_attention_heads", 2},
                 {"intermediate_size", 6},
                 {"max_position_embeddings", 5},
                 {"vocab_size", 7},
                 {"id2label", {{"0", "bad"}, {"1", "good"}}}};
  std::map<std::string, HfTensor> tensors;

 private:
  TemporaryFolder folder_;
};

}  // namespace headroom::testing
