#include "data/formats/fasttext.h"

#include <gtest/gtest.h>

#include <vector>

namespace headroom {
namespace {

const std::vector<TextRow> rows = {{"Oil's up!", "", 2}, {"One", "Two", 0}};

TEST(FastTextLines, AreLowerCaseWordsBehindALabel) {
  EXPECT_EQ(fasttext_lines(rows, true), "__label__2 oil ' s up !\n__label__0 one two\n");
}

TEST(FastTextLines, WithoutLabelsAreToBeAnswered) {
  EXPECT_EQ(fasttext_lines(rows, false), " oil ' s up !\n one two\n");
}

}  // namespace
}  // namespace headroom
