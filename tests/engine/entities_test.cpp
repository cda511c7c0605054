// From scores of pieces to entities: schemes of labels, words of several pieces, aggregations.
#include "engine/tags/entities.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

using Labels = std::vector<std::string>;

const Labels iob = {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"};

// A text whose words, one character each with a space behind it, have these labels.
class TaggedWords {
 public:
  TaggedWords(const Labels& labels, const Labels& tags) : labels_(labels) {
    for (const std::string& tag : tags) add(tag, 0.75);
  }

  // `continues`: another piece of the word before.
  TaggedWords& add(const std::string& tag, double score, bool continues = false) {
    const auto start = static_cast<int64_t>(text_.size());
    if (!continues && start > 0) text_ += ' ';
    text_ += static_cast<char>('a' + scores_.size());
    std::vector<double> scores(labels_.size(), (1 - score) / static_cast<double>(labels_.size()));
    scores[static_cast<size_t>(std::find(labels_.begin(), labels_.end(), tag) - labels_.begin())] =
        score;
    scores_.push_back(scores);
    const auto end = static_cast<int64_t>(text_.size());
    pieces_.push_back({end - 1, end, continues, {}});
    return *this;
  }

  // "PER a b", …
  std::vector<std::string> found(Aggregation aggregation = Aggregation::simple) {
    std::vector<std::string> entities;
    for (const Entity& entity : entities_of(aggregation)) {
      entities.push_back(entity.label + " " + entity.text);
    }
    return entities;
  }
  std::vector<Entity> entities_of(Aggregation aggregation = Aggregation::simple) {
    for (size_t i = 0; i < pieces_.size(); ++i) pieces_[i].scores = scores_[i];
    return find_entities(text_, pieces_, labels_, aggregation);
  }

 private:
  Labels labels_;
  std::string text_;
  std::vector<std::vector<double>> scores_;
  std::vector<ScoredPiece> pieces_;
};

TEST(Entities, GoOnWhileTheTagDoes) {
  EXPECT_EQ(TaggedWords(iob, {"B-PER", "I-PER", "O", "B-LOC"}).found(),
            (Labels{"PER a b", "LOC d"}));
  EXPECT_EQ(TaggedWords(iob, {"B-PER", "B-PER"}).found(), (Labels{"PER a", "PER b"}));
  EXPECT_EQ(TaggedWords(iob, {"B-PER", "I-LOC"}).found(), (Labels{"PER a", "LOC b"}));
  EXPECT_EQ(TaggedWords(iob, {"O", "O"}).found(), Labels{});
  EXPECT_EQ(TaggedWords(iob, {}).found(), Labels{});
}

TEST(Entities, MayBeginWithoutB) {  // IOB1
  EXPECT_EQ(TaggedWords(iob, {"I-PER", "I-PER", "B-PER", "I-LOC"}).found(),
            (Labels{"PER a b", "PER c", "LOC d"}));
}

TEST(Entities, OfLabelsWithoutPrefixesGoOnWhileTheyRepeat) {
  const Labels plain = {"O", "PER", "E-MAIL"};
  EXPECT_EQ(TaggedWords(plain, {"PER", "PER", "E-MAIL", "O", "PER"}).found(),
            (Labels{"PER a b", "E-MAIL c", "PER e"}));
}

TEST(Entities, EndWhereIobesSays) {
  const Labels iobes = {"O", "B-PER", "I-PER", "E-PER", "S-PER"};
  EXPECT_EQ(TaggedWords(iobes, {"B-PER", "I-PER", "E-PER", "S-PER", "S-PER", "I-PER"}).found(),
            (Labels{"PER a b c", "PER d", "PER e", "PER f"}));
  const Labels bilou = {"O", "B-PER", "I-PER", "L-PER", "U-PER"};
  EXPECT_EQ(TaggedWords(bilou, {"U-PER", "B-PER", "L-PER", "I-PER"}).found(),
            (Labels{"PER a", "PER b c", "PER d"}));
}

TEST(Entities, HaveTheMeanScoreAndPlacesInCharacters) {
  TaggedWords words(iob, {});
  words.add("B-PER", 0.5).add("I-PER", 0.75).add("O", 0.9);
  const std::vector<Entity> entities = words.entities_of();
  ASSERT_EQ(entities.size(), 1U);
  EXPECT_EQ(entities[0].score, 0.625);
  EXPECT_EQ(entities[0].start, 0);
  EXPECT_EQ(entities[0].end, 3);
}

TEST(Entities, PlacesAreCodePointsAndTextIsWhatStandsThere) {
  const std::string text = "né à Zürich 🙂";
  const std::vector<double> loc = {0, 0, 0, 1, 0};
  const std::vector<ScoredPiece> pieces = {{5, 11, false, loc}};
  const std::vector<Entity> entities = find_entities(text, pieces, iob, Aggregation::simple);
  ASSERT_EQ(entities.size(), 1U);
  EXPECT_EQ(entities[0].text, "Zürich");
}

// The word "ab" has the pieces a (LOC, unsure) and b (PER, sure).
TaggedWords one_word() {
  TaggedWords words(iob, {});
  words.add("B-LOC", 0.5).add("B-PER", 0.9, /*continues=*/true);
  return words;
}

TEST(Entities, OfAWordOfSeveralPiecesFollowTheAggregation) {
  EXPECT_EQ(one_word().found(Aggregation::simple), (Labels{"LOC a", "PER b"}));
  EXPECT_EQ(one_word().found(Aggregation::first), Labels{"LOC ab"});
  EXPECT_EQ(one_word().found(Aggregation::max), Labels{"PER ab"});
  EXPECT_EQ(one_word().found(Aggregation::average), Labels{"PER ab"});
  EXPECT_EQ(one_word().entities_of(Aggregation::max)[0].score, 0.9);
  EXPECT_NEAR(one_word().entities_of(Aggregation::average)[0].score, (0.9 + 0.1) / 2, 1e-12);
}

TEST(Entities, AFirstPieceThatContinuesNothingIsAWord) {
  TaggedWords words(iob, {});
  words.add("B-LOC", 0.5, /*continues=*/true);
  EXPECT_EQ(words.found(Aggregation::first), Labels{"LOC a"});
}

}  // namespace
}  // namespace headroom
