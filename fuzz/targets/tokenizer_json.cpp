// tokenizer.json of a Hugging Face folder.
#include "checkpoint/hf/tokenizer_json.h"

#include "target.h"

namespace headroom::fuzz {
namespace {

const Target tokenizer_json("tokenizer_json", [](std::string_view input) {
  accepts({ErrorCode::bad_model}, [&] {
    const PlainBertTokenizer tokenizer = parse_tokenizer_json(input);
    const std::string text = tokenizer.vocabulary.to_text();
    require(Vocabulary::from_text(text) == tokenizer.vocabulary,
            "the vocabulary can be stored as vocab.txt");
  });
});

}  // namespace
}  // namespace headroom::fuzz
