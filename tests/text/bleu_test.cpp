// BLEU against its definition and against values that others published.
#include "text/bleu.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headroom {
namespace {

Words letters(const std::string& text) {
  Words words;
  for (const char letter : text) words.emplace_back(1, letter);
  return words;
}

BleuSentence sentence(const std::string& translation, const std::vector<std::string>& references) {
  BleuSentence made{letters(translation), {}};
  for (const std::string& reference : references) made.references.push_back(letters(reference));
  return made;
}

// The two sentences that NLTK's documentation scores with three references and one, a letter a
// word; the first is from Papineni et al. 2002, example 1.
const BleuSentence guide =
    sentence("abcdefghijklmjnojp", {"abcdefihijkuvxyn", "abjzDgEjkFlGHjIojy", "abjKdLjMlexjNojp"});
const BleuSentence book = sentence("qrjstquvwxy", {"quvwxytqrjs"});

TEST(Bleu, IsHundredForThePerfectTranslation) {
  const BleuScore score = corpus_bleu({sentence("abcde", {"abcde"})});
  EXPECT_DOUBLE_EQ(score.bleu, 100);
  EXPECT_DOUBLE_EQ(score.brevity, 1);
}

TEST(Bleu, CountsAWordAtMostAsOftenAsAReferenceHasIt) {
  // "the the the the the the the" against "the cat is on the mat": 2 of 7 (Papineni et al. 2002,
  // section 2.1).
  const BleuScore score = corpus_bleu({sentence("ttttttt", {"tcifta"})});
  EXPECT_DOUBLE_EQ(score.precisions[0], 2.0 / 7);
  EXPECT_EQ(score.bleu, 0) << "no 4-gram, no smoothing";
}

TEST(Bleu, AgreesWithPublishedValues) {
  EXPECT_NEAR(corpus_bleu({guide}).bleu, 50.45666840058485, 1e-9);
  EXPECT_NEAR(corpus_bleu({guide, book}).bleu, 59.20778868801042, 1e-9);
}

TEST(Bleu, OfACorpusIsNotTheMeanOfItsSentences) {
  const double mean = (corpus_bleu({guide}).bleu + corpus_bleu({book}).bleu) / 2;
  EXPECT_NEAR(mean, 62.23, 0.01) << "as published";
  EXPECT_LT(corpus_bleu({guide, book}).bleu, mean - 1);
}

TEST(Bleu, PunishesBrevityByTheNearestReference) {
  const BleuScore score = corpus_bleu({sentence("abcdefgh", {"abcdefghijkl", "abcdefghijklmnop"})});
  EXPECT_EQ(score.reference_words, 12);
  EXPECT_DOUBLE_EQ(score.brevity, std::exp(1 - 12.0 / 8));
  EXPECT_DOUBLE_EQ(score.bleu, 100 * std::exp(-0.5));
}

TEST(Bleu, OfTwoReferencesEquallyNearTakesTheShorter) {
  EXPECT_EQ(corpus_bleu({sentence("abcdef", {"abcdefgh", "abcd"})}).reference_words, 4);
}

TEST(Bleu, OfNothingIsZero) {
  EXPECT_EQ(corpus_bleu({}).bleu, 0);
  EXPECT_EQ(corpus_bleu({sentence("", {"abcd"})}).bleu, 0);
}

}  // namespace
}  // namespace headroom
