#include "base/json.h"

#include <gtest/gtest.h>

#include "base/json_builder.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

JsonFields fields_of(const Json& object) {
  return JsonFields(object, ErrorCode::bad_model, "config.json");
}

TEST(Json, BrokenTextNamesItsOrigin) {
  expect_error(ErrorCode::bad_data, "parse row 3",
               [] { parse_json("{\"a\": ", ErrorCode::bad_data, "row 3"); });
}

TEST(Json, DuplicateKeysAreRefused) {
  expect_error(ErrorCode::bad_model, "\"a\" appears twice",
               [] { parse_json(R"({"a": 1, "a": 2})", ErrorCode::bad_model, "config.json"); });
}

TEST(Json, TheSameKeyInTwoObjectsIsFine) {
  EXPECT_EQ(parse_json(R"([{"a": 1}, {"a": 2}])", ErrorCode::bad_model, "x").size(), 2U);
}

TEST(Json, BottomlessNestingIsRefused) {
  expect_error(ErrorCode::bad_data, "nested deeper",
               [] { parse_json(std::string(100000, '['), ErrorCode::bad_data, "x"); });
}

TEST(Json, MoreKeysOrValuesThanAllowedAreRefused) {
  const auto parse = [](std::string_view text) {
    return parse_json(text, ErrorCode::bad_data, "x", {.keys = 2, .values = 6});
  };
  EXPECT_EQ(parse(R"({"a": [1, 2], "b": {"c": 3}})").size(), 2U);
  expect_error(ErrorCode::bad_data, "more than 2 keys",
               [&] { parse(R"({"a": 1, "b": 1, "c": 1})"); });
  expect_error(ErrorCode::bad_data, "more than 6 values", [&] { parse("[1, 2, 3, 4, 5, 6]"); });
  expect_error(ErrorCode::bad_data, "more than 6 values", [&] { parse("[[],[],{},{},[[]]]"); });
}

TEST(Json, NestingIsCountedInContainers) {
  const auto nested = [](size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(parse_json(nested(64), ErrorCode::bad_data, "x").is_array());
  expect_error(ErrorCode::bad_data, "nested deeper than 64 levels",
               [&] { parse_json(nested(65), ErrorCode::bad_data, "x"); });
}

TEST(Json, AValueIsTheOneThatTheLibraryWouldMake) {
  for (const std::string text :
       {R"({"b": [1, -2, 3.5, true, null, "x", {}, []], "a": {"d": {"c": 1e300}, "b": "ü\n"}})",
        R"([])", R"("alone")", R"(18446744073709551615)", R"([[[{"a":[{"a":1},{"a":2}]}]]])"}) {
    EXPECT_EQ(parse_json(text, ErrorCode::bad_data, "x").dump(), Json::parse(text).dump());
    EXPECT_EQ(parse_sorted_json(text, ErrorCode::bad_data, "x"), SortedJson::parse(text));
  }
}

template <typename AnyJson>
size_t operations_for(const std::string& text) {
  JsonBuilder<AnyJson> builder(ErrorCode::bad_data, "parse x", {});
  AnyJson::sax_parse(text, &builder);
  return builder.operations();
}

// The library's parser with a callback walked over the array after each of its objects.
TEST(Json, AnArrayOfObjectsTakesOneOperationEach) {
  std::string text = R"({"x":[{})";
  for (int i = 1; i < 100'000; ++i) text += ",{}";
  text += "]}";
  EXPECT_EQ(operations_for<Json>(text), 100'003U);  // and the outer object, its key, the array
  EXPECT_EQ(operations_for<SortedJson>(text), 100'003U);
}

TEST(Json, DuplicateKeysAreFoundWithoutComparingAllPairs) {
  std::string text = "{";
  for (int i = 0; i < 4096; ++i) text += "\"" + std::to_string(i * 7919 % 4096) + "\":0,";
  text += "\"last\":0}";
  EXPECT_LT(operations_for<Json>(text), 4096U * 30);
}

TEST(Json, WhatHidesBehindANulByteIsRefused) {
  expect_error(ErrorCode::bad_data, "NUL byte",
               [] { parse_json(std::string_view("{}\0{\"a\":1}", 9), ErrorCode::bad_data, "x"); });
}

// Finding a key means walking over all of them: without a bound this one takes minutes.
TEST(Json, SoManyKeysThatFindingThemTakesMinutesAreRefused) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  text += "\"last\":0}";
  expect_error(ErrorCode::bad_model, "too many keys",
               [&] { parse_json(text, ErrorCode::bad_model, "config.json"); });
  EXPECT_EQ(parse_sorted_json(text, ErrorCode::bad_model, "vocabulary").size(), 200'001U);
}

TEST(Json, AMessageIsShortHoweverLongTheValueIs) {
  const Json object = {{"layers", std::string(1'000'000, 'x')}};
  const auto length_of_complaint = [](const auto& action) {
    try {
      action();
    } catch (const Error& error) {
      return std::string_view(error.what()).size();
    }
    return size_t{0};
  };
  EXPECT_LT(length_of_complaint([&] { fields_of(object).integer("layers", 1, 2); }), 300U);
  const std::string cut = "[\"" + std::string(1'000'000, 'x');
  EXPECT_LT(length_of_complaint([&] { parse_json(cut, ErrorCode::bad_data, "x"); }), 300U);
}

TEST(Json, AValueIsShownWholeOrUpToAWholeCharacter) {
  EXPECT_EQ(shown(Json({1, "a"})), R"([1,"a"])");
  std::string umlauts;
  for (int i = 0; i < 60; ++i) umlauts += "\u00FC";
  EXPECT_EQ(shown(Json(umlauts)), "\"" + umlauts.substr(0, 78) + "...");
}

TEST(JsonFields, RangeErrorsQuoteTheValue) {
  const Json object = {{"layers", -3}};
  expect_error(ErrorCode::bad_model, "layers is -3, expected a whole number from 1 to 128",
               [&] { fields_of(object).integer("layers", 1, 128); });
}

TEST(JsonFields, HugeUnsignedNumberIsOutOfRangeNotNegative) {
  const Json object = {{"layers", UINT64_MAX}};
  expect_error(ErrorCode::bad_model, "expected a whole number",
               [&] { fields_of(object).integer("layers", 1, 128); });
}

TEST(JsonFields, AFractionIsNotAWholeNumber) {
  const Json object = {{"layers", 2.5}};
  expect_error(ErrorCode::bad_model, "layers is 2.5",
               [&] { fields_of(object).integer("layers", 1, 128); });
}

TEST(JsonFields, MissingFieldIsNamed) {
  const Json object = Json::object();
  expect_error(ErrorCode::bad_model, "width is missing", [&] { fields_of(object).text("width"); });
}

TEST(JsonFields, FallbacksAreUsedOnlyWhenTheKeyIsAbsent) {
  const Json object = {{"rate", 0.5}};
  EXPECT_EQ(fields_of(object).number_or("rate", 0.1, 0, 1), 0.5);
  EXPECT_EQ(fields_of(object).number_or("other", 0.1, 0, 1), 0.1);
}

}  // namespace
}  // namespace headroom
