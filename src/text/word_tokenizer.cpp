#include "text/word_tokenizer.h"

#include "text/words.h"

namespace headroom {

void WordTokenizer::append_pieces(std::string_view text, size_t limit,
                                  std::vector<int32_t>& ids) const {
  WordScanner scanner;
  scanner.reset(text);
  for (size_t count = 0; count < limit && scanner.next(); ++count) {
    ids.push_back(vocabulary().id(scanner.word()));
  }
}

void WordTokenizer::append_with_spans(std::string_view text, size_t limit,
                                      std::vector<int32_t>& ids,
                                      std::vector<TextSpan>& spans) const {
  WordScanner scanner;
  scanner.reset(text);
  for (size_t count = 0; count < limit && scanner.next(); ++count) {
    ids.push_back(vocabulary().id(scanner.word()));
    spans.push_back(scanner.span());
  }
}

}  // namespace headroom
