// A well Hugging Face folder of which one file is replaced: the first byte says which.
#include <array>

#include "base/files/file.h"
#include "base/files/scratch_folder.h"
#include "checkpoint/hf/config.h"
#include "checkpoint/hf/tensors.h"
#include "checkpoint/hf/tokenizer.h"
#include "checkpoint/tensors/safetensors_writer.h"
#include "input.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

constexpr std::string_view good_config =
    R"({"architectures":["BertForSequenceClassification"],"model_type":"bert","hidden_act":"gelu",)"
    R"("hidden_size":4,"num_hidden_layers":1,"num_attention_heads":2,"intermediate_size":6,)"
    R"("max_position_embeddings":5,"vocab_size":7,"id2label":{"0":"bad","1":"good"}})";
constexpr std::string_view good_vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ngood\n##ly\n";
constexpr std::string_view good_index = R"({"weight_map":{"classifier.bias":"a.safetensors"}})";

// Files that it may replace. The last is there only while the single weights file is not.
constexpr std::array<std::string_view, 7> replaced = {
    "config.json",       "vocab.txt",      "tokenizer_config.json",       "special_tokens_map.json",
    "added_tokens.json", "tokenizer.json", "model.safetensors.index.json"};

class GoodFolder {
 public:
  GoodFolder() {
    const HfConfig config =
        read_hf_config(parse_json(good_config, ErrorCode::bad_model, "config.json"));
    std::vector<TensorView> tensors;
    const std::vector<std::byte> zeros(4096);
    for (const TensorSpec& entry : config.config.tensors()) {
      size_t bytes = 4;
      for (const int64_t side : entry.shape) bytes *= static_cast<size_t>(side);
      tensors.push_back({entry.name, DType::f32, entry.shape, std::span(zeros).first(bytes)});
    }
    write_safetensors(path() / "weights", tensors);
    write_safetensors(path() / "a.safetensors", std::span<const TensorView>(tensors).last(1));
  }

  const std::filesystem::path& path() const { return folder_.path(); }

  void write(std::string_view name, std::string_view content) const {
    overwrite(path() / name, content);
  }

  // All as they should be, but for one.
  void restore(std::string_view name, std::string_view content) const {
    for (const std::string_view other : replaced) remove_tree(path() / other);
    remove_tree(path() / "model.safetensors");
    write("config.json", good_config);
    if (name != "tokenizer.json") write("vocab.txt", good_vocabulary);
    if (name == replaced.back()) {
      write(name, good_index);
    } else {
      std::filesystem::create_hard_link(path() / "weights", path() / "model.safetensors");
    }
    write(name, content);
  }

 private:
  ScratchFolder folder_;
};

const Target hf_folder("hf_folder", [](std::string_view input) {
  static const GoodFolder good;
  Numbers numbers(input);
  const auto which = static_cast<size_t>(numbers.between(0, replaced.size() - 1));
  good.restore(replaced[which], numbers.rest());
  accepts({ErrorCode::bad_model}, [&] {
    const HfFolder folder(good.path());
    const HfConfig config = read_hf_config(folder.json("config.json"));
    const HfTokenizer tokenizer = read_hf_tokenizer(folder, config.config.shape);
    require(tokenizer.files.empty() != tokenizer.vocabulary.empty(),
            "a tokenizer is kept in one form");
    const HfWeights weights(folder);
    map_hf_tensors(weights, config.config);
  });
});

}  // namespace
}  // namespace headroom::fuzz
