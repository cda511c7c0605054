// Pre-tokenizers one by one, and the expressions that they cut with.
#include <gtest/gtest.h>

#include "support.h"
#include "text/pipeline/pipeline_checks.h"
#include "text/pipeline/regex/pattern.h"
#include "text/pipeline/regex/regex.h"

namespace headroom {
namespace {
using namespace testing;

using Words = std::vector<std::string>;
using Spans = std::vector<TextSpan>;

Words matches(std::string_view expression, std::string_view text) {
  std::vector<TextSpan> spans;
  Regex(expression).find_all(text, spans);
  Words found;
  for (const TextSpan& span : spans) {
    found.emplace_back(text.substr(span.begin, span.end - span.begin));
  }
  return found;
}

TEST(ByteLevel, CutsAsGpt2Does) {
  const Json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  EXPECT_EQ(words(bytes, "Hello there   dear"), (Words{"Hello", "Ġthere", "ĠĠ", "Ġdear"}));
  EXPECT_EQ(words(bytes, "don't\n12ab!?"), (Words{"don", "'t", "Ċ", "12", "ab", "!?"}));
  EXPECT_EQ(words(bytes, "a  "), (Words{"a", "ĠĠ"}));
  EXPECT_EQ(words(bytes, "é"), (Words{"Ã©"}));
  EXPECT_EQ(word_origins(bytes, "é b"), (Spans{{0, 2}, {2, 4}}));
}

TEST(ByteLevel, MayBeginWithASpace) {
  EXPECT_EQ(words({{"type", "ByteLevel"}}, "a b"), (Words{"Ġa", "Ġb"}));
  EXPECT_EQ(words({{"type", "ByteLevel"}}, " a"), (Words{"Ġa"}));
  EXPECT_EQ(words({{"type", "ByteLevel"}, {"use_regex", false}}, "a b"), (Words{"ĠaĠb"}));
  EXPECT_EQ(word_origins({{"type", "ByteLevel"}}, "a b"), (Spans{{0, 1}, {1, 3}}));
}

TEST(Metaspace, BeginsAWordAtEverySpace) {
  EXPECT_EQ(words({{"type", "Metaspace"}}, "Hey  you"), (Words{"▁Hey", "▁", "▁you"}));
  EXPECT_EQ(words({{"type", "Metaspace"}}, " Hey"), (Words{"▁Hey"}));
  EXPECT_EQ(words({{"type", "Metaspace"}, {"prepend_scheme", "never"}}, "a b"), (Words{"a", "▁b"}));
  EXPECT_EQ(words({{"type", "Metaspace"}, {"add_prefix_space", false}}, "a"), (Words{"a"}));
  EXPECT_EQ(words({{"type", "Metaspace"}, {"split", false}}, "a b"), (Words{"▁a▁b"}));
  EXPECT_EQ(words({{"type", "Metaspace"}, {"replacement", "_"}}, "a b"), (Words{"_a", "_b"}));
  EXPECT_EQ(word_origins({{"type", "Metaspace"}}, "Hey you"), (Spans{{0, 3}, {3, 7}}));
}

TEST(Splits, AtCharactersOfAKind) {
  EXPECT_EQ(words({{"type", "WhitespaceSplit"}}, " a b\u3000c "), (Words{"a", "b", "c"}));
  EXPECT_EQ(words({{"type", "Whitespace"}}, "a_b! ½ 1"), (Words{"a_b", "!", "½", "1"}));
  EXPECT_EQ(words({{"type", "Punctuation"}}, "a,,b"), (Words{"a", ",", ",", "b"}));
  EXPECT_EQ(words({{"type", "Digits"}}, "a12b"), (Words{"a", "12", "b"}));
  EXPECT_EQ(words({{"type", "Digits"}, {"individual_digits", true}}, "a12"),
            (Words{"a", "1", "2"}));
  EXPECT_EQ(words({{"type", "CharDelimiterSplit"}, {"delimiter", "-"}}, "a-b"), (Words{"a", "b"}));
  EXPECT_EQ(words({{"type", "BertPreTokenizer"}}, "Hi, you"), (Words{"Hi", ",", "you"}));
}

TEST(Splits, DoWithMatchesWhatTheBehaviourSays) {
  const auto split = [](const char* behavior, bool invert = false) {
    return words({{"type", "Split"},
                  {"pattern", {{"String", "-"}}},
                  {"behavior", behavior},
                  {"invert", invert}},
                 "a--b-");
  };
  EXPECT_EQ(split("Removed"), (Words{"a", "b"}));
  EXPECT_EQ(split("Isolated"), (Words{"a", "-", "-", "b", "-"}));
  EXPECT_EQ(split("MergedWithPrevious"), (Words{"a-", "-", "b-"}));
  EXPECT_EQ(split("MergedWithNext"), (Words{"a", "-", "-b", "-"}));
  EXPECT_EQ(split("Contiguous"), (Words{"a", "--", "b", "-"}));
  EXPECT_EQ(split("Removed", true), (Words{"-", "-", "-"}));
  expect_error(ErrorCode::bad_model, "behavior \"Gone\" is not one of Removed",
               [&] { split("Gone"); });
}

TEST(PreTokenizerSequence, CutsWhatWasCutBefore) {
  const Json both = {{"type", "Sequence"},
                     {"pretokenizers", {{{"type", "WhitespaceSplit"}}, {{"type", "Metaspace"}}}}};
  EXPECT_EQ(words(both, "a\tb"), (Words{"▁a", "▁b"}));
}

// The hand-written scanner beside the expression that it stands for.
TEST(Gpt2Words, AreThoseOfTheExpression) {
  for (const std::string_view text :
       {"it's  we'll\t'quoted' 12,5€ naïve 東京 !?  ", "   ", " \n\n x", "a\u00A0\u00A0b '", "½²x",
        "\u2028 'S 'VE", "", "e\u0301\u0301 ok"}) {
    std::vector<TextSpan> by_hand;
    make_regex_pattern(gpt2_expression)->find_all(text, by_hand);
    std::vector<TextSpan> by_engine;
    Regex(gpt2_expression).find_all(text, by_engine);
    EXPECT_EQ(by_hand, by_engine) << text;
  }
}

TEST(Regex, TakesTheFirstAlternativeThatFits) {
  EXPECT_EQ(matches("a|ab", "ab"), (Words{"a"}));
  EXPECT_EQ(matches("(?:a|b)+c", "xabacab"), (Words{"abac"}));
  EXPECT_EQ(matches("a+?", "aa"), (Words{"a", "a"}));
  EXPECT_EQ(matches("a{2,3}", "aaaaa"), (Words{"aaa", "aa"}));
  EXPECT_EQ(matches("[^\\s\\d]+", "ab 1c"), (Words{"ab", "c"}));
  EXPECT_EQ(matches("[a-c\\-]+", "b-d"), (Words{"b-"}));
  EXPECT_EQ(matches("\\p{L}+", "aß東1"), (Words{"aß東"}));
  EXPECT_EQ(matches("\\P{L}", "a1"), (Words{"1"}));
  EXPECT_EQ(matches("(?i:'s|ll)", "'S LL"), (Words{"'S", "LL"}));
  EXPECT_EQ(matches("\\s+(?!\\S)", "a  b "), (Words{" ", " "}));
  EXPECT_EQ(matches("(?<=a)b", "abb"), (Words{"b"}));
  EXPECT_EQ(matches("\\bab\\b", "ab abc"), (Words{"ab"}));
  EXPECT_EQ(matches("^a|b$", "aab"), (Words{"a", "b"}));
  EXPECT_EQ(matches("x{a}", "x{a}"), (Words{"x{a}"}));  // braces that count nothing
  EXPECT_EQ(matches("[^a]?+a", "aba"), (Words{"a", "ba"}));
  EXPECT_EQ(matches("a++b", "aab"), (Words{"aab"}));
  EXPECT_EQ(matches("a++a", "aaa"), (Words{}));
  EXPECT_EQ(matches("a*", "ba"), (Words{"", "a"}));
}

TEST(Regex, CutsAsLlamasExpressionDoes) {
  const std::string_view llama =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  EXPECT_EQ(matches(llama, "It'S 12345 ok!!\n\n  go"),
            (Words{"It", "'S", " ", "123", "45", " ok", "!!\n\n", " ", " go"}));
}

TEST(Regex, TakesTimeWithTheLengthOnly) {
  const std::string letters(200'000, 'a');
  EXPECT_EQ(matches("(?:a|a)*b", letters).size(), 0U);  // backtracking would never end
  EXPECT_EQ(matches("(?:a*)*c", letters.substr(0, 20'000)).size(), 0U);
}

TEST(Regex, WhatIsNotReadIsNamed) {
  const auto refused = [](const char* expression, std::string_view why) {
    expect_error(ErrorCode::bad_model, why, [&] { Regex{expression}; });
  };
  refused("(a)\\1", "\\1 is not read here");
  refused("(?=ab)", "one character only");
  refused("(?P<x>a)", "groups that begin with (?");
  refused("[a", "is not closed");
  refused("(a", "is not closed");
  refused("a)", "closes nothing");
  refused("*a", "nothing to repeat");
  refused("\\p{Greek}", "the class Greek");
  refused("a{2,1}", "wrong way round");
  refused("((a{1000}){1000}){1000}", "too large");
  refused("(?:ab)++", "more than one character");
}

}  // namespace
}  // namespace headroom
