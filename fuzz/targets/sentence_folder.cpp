// A well folder of Sentence Transformers of which one file is replaced: the first byte says which.
#include <array>
#include <utility>

#include "base/files/scratch_folder.h"
#include "checkpoint/hf/sentence.h"
#include "input.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> sentence_parts = {{
    {"modules.json", R"([{"path":"","type":"sentence_transformers.models.Transformer"},)"
                     R"({"path":"1_Pooling","type":"sentence_transformers.models.Pooling"},)"
                     R"({"path":"2_Dense","type":"sentence_transformers.models.Dense"},)"
                     R"({"path":"3_Normalize","type":"sentence_transformers.models.Normalize"}])"},
    {"1_Pooling/config.json", R"({"word_embedding_dimension":4,"pooling_mode_mean_tokens":true})"},
    {"2_Dense/config.json", R"({"in_features":4,"out_features":2,"bias":false})"},
    {"sentence_bert_config.json", R"({"max_seq_length":4,"do_lower_case":false})"},
    {"config_sentence_transformers.json", R"({"prompts":{"query":"q: "}})"},
}};

const Target sentence_folder("sentence_folder", [](std::string_view input) {
  static const ScratchFolder scratch;
  Numbers numbers(input);
  const auto which = static_cast<size_t>(numbers.between(0, sentence_parts.size() - 1));
  for (size_t i = 0; i < sentence_parts.size(); ++i) {
    const auto path = scratch.path() / sentence_parts[i].first;
    std::filesystem::create_directories(path.parent_path());
    overwrite(path, i == which ? numbers.rest() : sentence_parts[i].second);
  }
  accepts({ErrorCode::bad_model}, [&] {
    const auto sentence = find_sentence_folder(HfFolder(scratch.path()));
    if (!sentence) return;
    ModelConfig config;
    config.shape.width = 4;
    std::vector<std::string> notes;
    set_vector_output(*sentence, config, notes);
    require(config.shape.vector_width() > 0, "vectors have a width");
  });
});

}  // namespace
}  // namespace headroom::fuzz
