// Any text through both tokenizers, alone and as a pair, beside the plain version of BERT's words.
#include "input.h"
#include "target.h"
#include "text/unicode/utf8.h"
#include "text/word_tokenizer.h"
#include "text/wordpiece/bert_normalizer.h"
#include "text/wordpiece/wordpiece_tokenizer.h"

namespace headroom::fuzz {
namespace {

const Vocabulary& few_pieces() {
  static const Vocabulary vocabulary =
      Vocabulary::with_words({"a", "b", "e", "the", "##a", "##b", "##the", "1", ".", "\u4e2d"});
  return vocabulary;
}

void check_ids(const Tokenizer& tokenizer, std::string_view text, int most) {
  const std::vector<int32_t> all = tokenizer.encode(text, 1 << 20);
  for (const int32_t id : all) {
    require(id >= 0 && id < tokenizer.vocabulary().size(), "ids are of the vocabulary");
  }
  std::vector<int32_t> cut = tokenizer.encode(text, most);
  require(cut.size() <= static_cast<size_t>(most), "a text is cut to length");
  cut.pop_back();
  require(std::equal(cut.begin(), cut.end(), all.begin()), "cutting keeps the beginning");
  const std::string_view half = text.substr(0, text.size() / 2);
  if (find_invalid_utf8(half)) return;
  const Tokens pair = tokenizer.encode_pair(text, half, most + 1);
  require(pair.ids.size() == pair.types.size(), "every token of a pair has a type");
  require(pair.ids.size() <= static_cast<size_t>(most) + 1, "a pair is cut to length");
}

void check_words(std::string_view text, bool lower_case) {
  BertWordScanner scanner(lower_case);
  scanner.reset(text);
  for (const std::string& word : split_bert_words(text, lower_case)) {
    require(scanner.next() && scanner.word() == word,
            "the scanner finds the plain version's words");
  }
  require(!scanner.next(), "the scanner finds no other words");
}

const Target tokenizer_target("tokenizer", [](std::string_view input) {
  static const WordTokenizer words(few_pieces());
  static const WordPieceTokenizer lower(few_pieces(), true);
  static const WordPieceTokenizer cased(few_pieces(), false);
  Numbers numbers(input);
  const int most = static_cast<int>(numbers.between(2, 40));
  const std::string_view text = numbers.rest();
  if (find_invalid_utf8(text)) {
    require(!accepts({ErrorCode::bad_data}, [&] { lower.encode(text, most); }),
            "text that is not UTF-8 is refused");
    return;
  }
  for (const Tokenizer* tokenizer :
       {static_cast<const Tokenizer*>(&words), static_cast<const Tokenizer*>(&lower),
        static_cast<const Tokenizer*>(&cased)}) {
    check_ids(*tokenizer, text, most);
  }
  for (const bool lower_case : {true, false}) check_words(text, lower_case);
});

}  // namespace
}  // namespace headroom::fuzz
