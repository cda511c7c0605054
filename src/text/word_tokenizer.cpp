#include "text/word_tokenizer.h"

#include <utility>

#include "text/words.h"

namespace headroom {

WordTokenizer::WordTokenizer(Vocabulary vocabulary)
    : Tokenizer(vocabulary), vocabulary_(std::move(vocabulary)) {}

void WordTokenizer::append_pieces(std::string_view text, size_t limit,
                                  std::vector<int32_t>& ids) const {
  WordScanner scanner;
  scanner.reset(text);
  for (size_t count = 0; count < limit && scanner.next(); ++count) {
    ids.push_back(vocabulary_.id(scanner.word()));
  }
}

void WordTokenizer::append_with_spans(std::string_view text, size_t limit,
                                      std::vector<int32_t>& ids,
                                      std::vector<TextSpan>& spans) const {
  WordScanner scanner;
  scanner.reset(text);
  for (size_t count = 0; count < limit && scanner.next(); ++count) {
    ids.push_back(vocabulary_.id(scanner.word()));
    spans.push_back(scanner.span());
  }
}

}  // namespace headroom
