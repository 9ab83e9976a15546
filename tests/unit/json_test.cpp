// JSON values: reading, writing, and what a text that is no JSON says.
#include "engine/core/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace headlight {
namespace {

TEST(Json, WritesWhatItReads) {
  const std::string text =
      R"({"z":[1,-2,18446744073709551615,0.1,1e+300,1.0],"a":{"empty":[],"none":{},"null":null},"t":true,"f":false,"s":"é\n\"\\"})";
  const auto json = Json::parse(text);
  ASSERT_TRUE(json.ok()) << json.error().sentence();
  EXPECT_EQ(json->dump(), text);
  EXPECT_EQ(Json::parse(json->dump(2))->dump(), text);
  EXPECT_EQ((*json)["z"][2].kind(), Json::Kind::unsigned_integer);
  EXPECT_EQ((*json)["z"][3].number(), 0.1);
  EXPECT_TRUE((*json)["z"][5].is_real());
  EXPECT_EQ((*json)["s"].string(), "é\n\"\\");
}

TEST(Json, IndentsAsAsked) {
  const Json json = Json::object({{"a", Json::array({1, "b"})}, {"c", Json::object()}});
  EXPECT_EQ(json.dump(2), "{\n  \"a\": [\n    1,\n    \"b\"\n  ],\n  \"c\": {}\n}");
  EXPECT_EQ(json.dump(), R"({"a":[1,"b"],"c":{}})");
}

TEST(Json, CommentsAreSkippedWhereTheyAreAskedFor) {
  const std::string text = "{ // one\n  \"a\": /* two\n lines */ 1, \"b\": \"// no comment\"\n}\n// the end";
  const auto json = Json::parse_commented(text);
  ASSERT_TRUE(json.ok()) << json.error().sentence();
  EXPECT_EQ(json->dump(), R"({"a":1,"b":"// no comment"})");
  EXPECT_FALSE(Json::parse(text).ok());
  EXPECT_FALSE(Json::parse_commented("/* never closed").ok());
  EXPECT_EQ(Json::parse_commented(R"({"a": 1, "a": 2})").error().what, "'a' stands twice in one object");
  const auto wrong = Json::parse_commented("{ // one\n  \"a\" 1}", "t.json", Message("mend it"));
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().sentence(), "t.json: this is not JSON from line 2, column 7 on; mend it");
}

TEST(JsonText, PythonsInfinitiesBecomeTexts) {
  EXPECT_EQ(Json::parse_python(R"({"a": [NaN, -Infinity, 1], "b \"NaN": "Infinity \\", "c": Infinity})")->dump(),
            R"({"a":["NaN","-Infinity",1],"b \"NaN":"Infinity \\","c":"Infinity"})");
  EXPECT_FALSE(Json::parse_python("[Infinite]").ok());
}

TEST(Json, KeepsNumbersExactly) {
  for (const double value : {0.1, 1.0 / 3, 5e-324, std::numeric_limits<double>::max(), -0.0, 123456789.123456789})
    EXPECT_EQ(Json::parse(Json(value).dump())->number(), value) << value;
  for (const std::int64_t value : {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
    EXPECT_EQ(Json::parse(Json(value).dump())->integer(), value);
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
}

TEST(Json, TheLastOfTwoEqualKeysCounts) { EXPECT_EQ(Json::parse(R"({"a":1,"b":2,"a":3})")->dump(), R"({"a":3,"b":2})"); }

TEST(Json, AnEqualKeyIsAnErrorWhereKeysMustDiffer) {
  EXPECT_EQ(Json::parse_unique(R"({"a":{"b":1},"b":[{"a":2},{"a":3}]})")->dump(), R"({"a":{"b":1},"b":[{"a":2},{"a":3}]})");
  const auto twice = Json::parse_unique(R"({"a":1,"c":{"b":2,"\u0062":{}}})", "file", Message("mend it"));
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().sentence(), "file: 'b' stands twice in one object; mend it");
  EXPECT_FALSE(Json::parse_unique(R"({"":1,"":2})").ok());
}

TEST(Json, SaysWhereATextStopsBeingJson) {
  const auto where = [](std::string_view text) {
    const auto json = Json::parse(text, "f.json", Message("mend it"));
    EXPECT_FALSE(json.ok()) << text;
    EXPECT_EQ(json.error().where, "f.json");
    EXPECT_EQ(json.error().mend, "mend it");
    return json.error().what.english();
  };
  EXPECT_EQ(where("{\n  \"a\": 1,\n  b\n}"), "this is not JSON from line 3, column 3 on");
  EXPECT_EQ(where("x"), "this is not JSON from line 1, column 1 on");
  EXPECT_EQ(where(""), "this is not JSON from line 1, column 1 on");
  EXPECT_EQ(where("{\n\"a\": 1"), "this is not JSON from line 2, column 7 on");  // cut off
  EXPECT_EQ(where("{\"a\": [1,\n NaN]}"), "JSON has no NaN and no infinity, as in line 2, column 2");
  EXPECT_EQ(where("[-Infinity]"), "JSON has no NaN and no infinity, as in line 1, column 3");
  EXPECT_EQ(where("[1, 2] 3"), "this is not JSON from line 1, column 8 on");
  EXPECT_EQ(Json::parse("[").error().what, "this is not JSON from line 1, column 2 on");
}

TEST(Json, RefusesWhatIsNestedTooDeep) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(Json::parse(nested(256)).ok());
  const auto deep = Json::parse(nested(257));
  ASSERT_FALSE(deep.ok());
  EXPECT_EQ(deep.error().what, "this JSON is nested more than 256 deep");
  EXPECT_FALSE(Json::parse(nested(1000000)).ok());
}

TEST(Json, ReplacesBytesThatAreNotUtf8) {
  EXPECT_TRUE(Json::can_hold("é"));
  EXPECT_FALSE(Json::can_hold("a\xff"));
  EXPECT_EQ(Json("a\xff").dump(), "\"a\xef\xbf\xbd\"");
}

TEST(Json, AnswersPlainlyWhereTheKindIsAnother) {
  const Json json = Json::object({{"text", "x"}});
  EXPECT_TRUE(json["absent"].is_null());
  EXPECT_FALSE(json.contains("absent"));
  EXPECT_EQ(json["text"].integer(), 0);
  EXPECT_EQ(json["text"].size(), 0u);
  EXPECT_TRUE(json["text"]["deeper"][3].is_null());
  EXPECT_EQ(Json(2.75).integer(), 2);
}

TEST(Json, ComparesNumbersByValueAndObjectsInAnyOrder) {
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_NE(Json(1), Json(true));
  EXPECT_EQ(Json::object({{"a", 1}, {"b", 2}}), Json::object({{"b", 2}, {"a", 1}}));
  EXPECT_NE(Json::object({{"a", 1}}), Json::object({{"a", 1}, {"b", 2}}));
}

TEST(Json, UpdateTakesTheOthersMembers) {
  Json json = Json::object({{"a", 1}, {"b", 2}});
  json.update(Json::object({{"b", 3}, {"c", 4}}));
  EXPECT_EQ(json.dump(), R"({"a":1,"b":3,"c":4})");
}

}  // namespace
}  // namespace headlight
