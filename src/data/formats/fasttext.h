// Rows as fastText's program reads and answers them (arXiv 1607.01759): one a line, words in lower
// case with punctuation apart, behind a label such as "__label__2".
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "data/dataset.h"

namespace headroom {

std::string fasttext_label(int32_t label);

// Both texts of a pair, one after the other. Lines end with a newline; `labelled` ones begin with
// their label.
std::string fasttext_lines(std::span<const TextRow> rows, bool labelled);

}  // namespace headroom
