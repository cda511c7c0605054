// A folder of Sentence Transformers: modules.json lists a transformer, a pooling, a dense layer and
// a normalisation. What our vectors have is read, anything else is refused by name.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/hf/folder.h"
#include "checkpoint/hf/weights.h"
#include "checkpoint/tensors/tensor.h"

namespace headroom {

struct SentenceDense {
  HfFolder folder;
  int64_t inputs = 0;
  int64_t outputs = 0;
  bool bias = true;
};

struct SentenceFolder {
  HfFolder transformer;  // the folder itself, or one inside it
  int64_t width = 0;     // that the pooling says
  VectorConfig vector;
  std::optional<int64_t> max_tokens;
  std::optional<SentenceDense> dense;
  bool lower_case = false;  // texts before they reach the tokenizer
};

// Nothing for a folder without a pooling. Throws ErrorCode::bad_model for modules, or an order of
// them, that our vectors do not have.
std::optional<SentenceFolder> find_sentence_folder(const HfFolder& folder);

// Makes the transformer's config one of vectors. Throws ErrorCode::bad_model when they do not fit.
void set_vector_output(const SentenceFolder& sentence, ModelConfig& config,
                       std::vector<std::string>& notes);

// The dense layer's tensors under our names; a bias of zeros where it has none.
class DenseWeights {
 public:
  explicit DenseWeights(const SentenceDense& dense);
  const std::vector<TensorView>& views() const { return views_; }

 private:
  HfWeights weights_;
  std::vector<std::byte> zeros_;
  std::vector<TensorView> views_;
};

// The folder's files but config.json, the weights and the tokenizer's: what makes a Hugging Face
// folder of vectors one of Sentence Transformers. By path, for export.
std::map<std::string, std::string> sentence_files(const ModelConfig& config);

// Where the dense layer's weights go in such a folder, under Sentence Transformers' names.
inline constexpr const char* dense_weights_path = "2_Dense/model.safetensors";
std::vector<TensorView> dense_views(const std::vector<TensorView>& tensors);

}  // namespace headroom
