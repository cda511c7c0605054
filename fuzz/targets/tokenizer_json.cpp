// tokenizer.json of a Hugging Face folder, and a text through what it describes: behind a line end
// in the input, or one of our own.
#include "checkpoint/hf/tokenizer_json.h"

#include <algorithm>

#include "target.h"
#include "text/pipeline/read_tokenizer.h"
#include "text/unicode/utf8.h"

namespace headroom::fuzz {
namespace {

constexpr std::string_view usual_text =
    "It's  na\u00efve, \u6771\u4eac\t<mask> e\u0301 \u2581x \r\n 12.5\u20ac [SEP] \U0001F600";

void check_tokens(const Tokenizer& tokenizer, std::string_view text) {
  const Encoding all = tokenizer.encode_with_offsets({text}, 1 << 20);
  require(tokenizer.encode(text, 1 << 20) == all.ids, "both ways give the same tokens");
  const size_t characters = count_characters(text);
  for (size_t i = 0; i < all.ids.size(); ++i) {
    require(all.ids[i] >= 0 && all.ids[i] < tokenizer.vocabulary().size(),
            "ids are of the vocabulary");
    require(all.offsets[i].begin <= all.offsets[i].end && all.offsets[i].end <= characters,
            "offsets are of the text");
  }
  const std::string_view half = text.substr(0, text.size() / 2);
  if (find_invalid_utf8(half)) return;
  const Encoding pair = tokenizer.encode_with_offsets({text, half}, 40);
  require(tokenizer.encode_pair(text, half, 40).ids == pair.ids, "pairs too");
}

void run_pipeline(std::string_view input) {
  const size_t end = std::min(input.find('\n'), input.size());
  accepts({ErrorCode::bad_model, ErrorCode::bad_data, ErrorCode::usage}, [&] {
    const auto tokenizer = read_tokenizer({std::string(input.substr(0, end)), ""});
    check_tokens(*tokenizer, usual_text);
    check_tokens(*tokenizer, "");
    check_tokens(*tokenizer, input.substr(std::min(end + 1, input.size())));
  });
}

const Target tokenizer_json("tokenizer_json", [](std::string_view input) {
  accepts({ErrorCode::bad_model}, [&] {
    const PlainBertTokenizer tokenizer = parse_tokenizer_json(input);
    const std::string text = tokenizer.vocabulary.to_text();
    require(Vocabulary::from_text(text) == tokenizer.vocabulary,
            "the vocabulary can be stored as vocab.txt");
  });
  run_pipeline(input);
});

}  // namespace
}  // namespace headroom::fuzz
