#include "data/formats/fasttext.h"

#include <fmt/format.h>

#include "text/words.h"

namespace headroom {

std::string fasttext_label(int32_t label) {
  return fmt::format("__label__{}", label);
}

std::string fasttext_lines(std::span<const TextRow> rows, bool labelled) {
  std::string lines;
  for (const TextRow& row : rows) {
    if (labelled) lines += fasttext_label(row.label);
    for (const std::string* text : {&row.text, &row.text_pair}) {
      for (const std::string& word : split_words(*text)) lines.append(" ").append(word);
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace headroom
