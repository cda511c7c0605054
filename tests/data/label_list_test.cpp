#include "data/label_list.h"

#include <gtest/gtest.h>

#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using Labels = std::vector<std::string>;

Labels order_of(const Labels& seen, const Labels& preferred = {}) {
  LabelList list(nullptr);
  list.prefer(preferred);
  for (const std::string& label : seen) list.number(label, {"f", 1});
  return list.finish().labels;
}

TEST(LabelList, NumbersAreOrderedByValueOthersByBytes) {
  EXPECT_EQ(order_of({"10", "9", "-1"}), (Labels{"-1", "9", "10"}));
  EXPECT_EQ(order_of({"b", "a", "B"}), (Labels{"B", "a", "b"}));
  EXPECT_EQ(order_of({"10", "9", "x"}), (Labels{"10", "9", "x"}));
}

TEST(LabelList, AClassListKeepsItsOrder) {
  EXPECT_EQ(order_of({"Sports", "World"}, {"World", "Sports", "Business"}),
            (Labels{"World", "Sports", "Business"}));
  EXPECT_EQ(order_of({"z", "World", "a"}, {"World", "Sports"}),
            (Labels{"World", "Sports", "a", "z"}));
}

TEST(LabelList, ProvisionalNumbersAreTranslated) {
  LabelList list(nullptr);
  const int32_t second = list.number("b", {"f", 1});
  const int32_t first = list.number("a", {"f", 2});
  const LabelList::Order order = list.finish();
  EXPECT_EQ(order.renumber[static_cast<size_t>(second)], 1);
  EXPECT_EQ(order.renumber[static_cast<size_t>(first)], 0);
}

TEST(LabelList, FixedLabelsAdmitNoOthers) {
  const Labels fixed = {"pos", "neg"};
  LabelList list(&fixed);
  list.prefer({"neg", "pos", "other"});
  EXPECT_EQ(list.number("neg", {"f", 1}), 1);
  EXPECT_EQ(list.finish().labels, fixed);
  expect_error(ErrorCode::bad_data, "f line 9: unknown label \"other\"; known are: pos, neg", [&] {
    list.number("other", {"f", 9});
  });
  expect_error(ErrorCode::bad_data, "?header=1", [&] { list.number("label", {"f", 1}); });
}

TEST(LabelList, ManyKnownLabelsAreAbbreviated) {
  Labels fixed;
  for (int i = 0; i < 77; ++i) fixed.push_back(std::to_string(i));
  LabelList list(&fixed);
  expect_error(ErrorCode::bad_data, "18, 19, ...", [&] { list.number("x", {"f", 2}); });
}

TEST(LabelList, SuspiciousLabelsAreRefused) {
  LabelList list(nullptr);
  expect_error(ErrorCode::bad_data, "f line 2: the label is empty", [&] {
    list.number("", {"f", 2});
  });
  for (size_t i = 0; i < LabelList::max_labels; ++i) list.number(std::to_string(i), {"f", 3});
  expect_error(ErrorCode::bad_data, "more than 10000 different labels", [&] {
    list.number("one more", {"f", 4});
  });
  const Labels twice = {"a", "a"};
  expect_error(ErrorCode::usage, "names one twice", [&] { LabelList{&twice}; });
}

}  // namespace
}  // namespace headroom
