// The material's worked numbers (S10, S13, S18) to the last printed digit, and cases that are typed in.
#include "engine/insight/by_hand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headlight::by_hand {
namespace {

Worked worked_of(const Case& hand) {
  const auto worked = work(hand);
  EXPECT_TRUE(worked.ok()) << worked.error().sentence();
  return worked.ok() ? *worked : Worked();
}

TEST(ByHand, EveryPrintedNumberIsTheComputedOneButForTheOneThatWasCutOff) {
  std::size_t compared = 0;
  for (const Entry& entry : registry().entries()) {
    SCOPED_TRACE(entry.id);
    const Worked worked = worked_of(entry.make());
    for (const auto& [stage, printed] : entry.printed) {
      ASSERT_TRUE(worked.stages.contains(stage));
      ASSERT_EQ(worked.stages.at(stage).rows, printed.rows);
      ASSERT_EQ(worked.stages.at(stage).columns, printed.columns);
      compared += printed.numbers.size();
      const auto different = misprints(entry, stage, worked.stages.at(stage));
      // The slides' column 5, row 1: query 4, key 0.
      std::vector<std::array<std::int64_t, 2>> known;
      if (entry.id == "pattern") known.push_back({4, 0});
      EXPECT_EQ(different, known);
    }
  }
  const Entry& creature = *registry().find("creature");
  const Worked forest = worked_of(creature.make());
  EXPECT_EQ(forest.stages.at("weights").at(1, 2), 1) << "1.00 verdant, to the last bit";
  EXPECT_EQ(misprints(creature, "weights", forest.stages.at("v")).size(), 6U) << "of another size: all";
  EXPECT_EQ(compared, 6U + 6 + 9 + 9 + 6 + 36 + 6);
  EXPECT_NEAR(worked_of(registry().find("pattern")->make()).stages.at("weights").at(4, 0), 0.465, 5e-4);
}

TEST(ByHand, ASearchTakesTheMeanOfWhatMatches) {
  const Worked worked = worked_of(registry().find("search")->make());
  // b = [1, 2] against [1, 0], [0, 1], [1, 1], [-1, 0]: scores 1, 2, 3, -1.
  EXPECT_EQ(worked.stages.at("scores").numbers, (std::vector<double>{1, 2, 3, -1}));
  const double e[] = {std::exp(1.0), std::exp(2.0), std::exp(3.0), std::exp(-1.0)}, sum = e[0] + e[1] + e[2] + e[3];
  EXPECT_NEAR(worked.stages.at("output").at(0, 0), (e[0] + e[2] - e[3]) / sum, 1e-12);
  EXPECT_NEAR(worked.stages.at("output").at(0, 1), (e[1] + e[2]) / sum, 1e-12);
}

TEST(ByHand, TemperatureGoesFromTheLargestAloneToTheMean) {
  Case hand = registry().find("three-words")->make();
  hand.temperature = 0;
  EXPECT_EQ(worked_of(hand).stages.at("weights").numbers, (std::vector<double>{0.5, 0, 0.5, 0, 0, 1, 0, 0, 1}))
      << "equal scores share";
  hand.temperature = std::numeric_limits<double>::infinity();
  const Worked mean = worked_of(hand);
  for (const double weight : mean.stages.at("weights").numbers) EXPECT_NEAR(weight, 1.0 / 3, 1e-15);
  hand.temperature = 1;
  hand.divided = true;
  EXPECT_NEAR(worked_of(hand).stages.at("divided").at(2, 2), 3 / std::sqrt(2.0), 1e-15);
  Case pattern = registry().find("pattern")->make();
  pattern.temperature = std::numeric_limits<double>::infinity();
  EXPECT_NEAR(worked_of(pattern).stages.at("weights").at(2, 1), 1.0 / 3, 1e-15) << "of the keys that may be seen";
}

TEST(ByHand, AHeldNumberStaysAndWhatFollowsIsComputedFromIt) {
  Case hand = registry().find("three-words")->make();
  hand.held = {{"scores", 1, 0, 5}, {"weights", 0, 1, 0}};
  const Worked worked = worked_of(hand);
  EXPECT_EQ(worked.stages.at("scores").at(1, 0), 5);
  EXPECT_NEAR(worked.stages.at("weights").at(1, 0), 1 / (1 + std::exp(-4.0) + std::exp(-3.0)), 1e-12);
  EXPECT_EQ(worked.stages.at("weights").at(0, 1), 0) << "held, though the row no longer sums to 1";
  hand.inputs["wq"].at(0, 0) = 7;
  EXPECT_EQ(worked_of(hand).stages.at("scores").at(1, 0), 5);
  EXPECT_EQ(worked_of(hand).stages.at("scores").at(0, 0), 7);
}

TEST(ByHand, JsonComesBackAndWhatIsMalformedIsNamed) {
  for (const Entry& entry : registry().entries()) {
    const auto read = case_from_json(to_json(entry.make()), "here");
    ASSERT_TRUE(read.ok()) << read.error().sentence();
    EXPECT_EQ(*read, entry.make());
    const auto beside = case_from_json("{\"case\": " + to_json(entry.make()) + ", \"stages\": {}}", "here");
    ASSERT_TRUE(beside.ok()) << "as --json prints it: " << beside.error().sentence();
    EXPECT_EQ(*beside, entry.make());
  }
  const auto refusal = [](const std::string& json) {
    const auto hand = case_from_json(json, "f.json");
    if (!hand.ok()) return hand.error().sentence();
    const auto worked = work(*hand);
    return worked.ok() ? std::string("worked") : worked.error().sentence();
  };
  EXPECT_EQ(refusal(R"({"scores": [[1, 2]]})"), "worked");
  const auto says = [&](const std::string& json, std::initializer_list<const char*> parts) {
    const std::string sentence = refusal(json);
    for (const char* part : parts) EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  };
  says(R"({"x": [[1, "a"]], "wq": [[1]]})", {"f.json, x", "row 0, column 1", "\"a\", no number"});
  says(R"({"x": [[1, 2], [3]]})", {"row 1 has length 1 and row 0 has length 2"});
  says(R"({"scores": "text"})", {"scores", "no table"});
  says(R"({"skores": [[1]]})", {"'skores' is not known", "'scores'"});
  says(R"({"zeppelin": [[1]]})", {"'zeppelin' is not known here; leave it out"});
  says(R"({"scores": [[1]], "divided": true})", {"there is no k"});
  says(R"({"q": [[1e200]], "k": [[1e200]]})", {"scores", "row 0, column 0 is no finite number"});
  says(R"({"q": [[1, 2]], "k": [[1]]})", {"k", "1 columns and q has 2"});
  says(R"({"x": [[1, 2]], "wq": [[1]]})", {"wq", "1 rows and x has 2 columns"});
  says(R"({"x": [[1]]})", {"no scores, and nothing to make them of"});
  says("[1", {"f.json"});
  std::string wide = "{\"scores\": [[0";
  for (int i = 1; i < 10000; ++i) wide += ",0";
  says(wide + "]]}", {"[1, 10000]", "1 to 12 columns"});
  says(R"({"q": [[NaN]], "k": [[1]]})", {"q", "row 0, column 0 is no finite number"});
  says(R"({"q": [[null]], "k": [[1]]})", {"row 0, column 0 is null, no number"});
  Case none = registry().find("search")->make();
  none.inputs["q"].at(0, 1) = std::nan("");
  EXPECT_NE(work(none).error().sentence().find("row 0, column 1 is no finite number"), std::string::npos);
  none = registry().find("search")->make();
  none.held = {{"weights", 3, 0, 1}};
  EXPECT_NE(work(none).error().sentence().find("cannot be held"), std::string::npos);
}

TEST(ByHand, ATypedNumberChangesAnInputAndIsHeldInAResult) {
  const Case words = registry().find("three-words")->make();
  const auto moved = with_number(words, "x", 2, 0, 5);
  ASSERT_TRUE(moved.ok()) << moved.error().sentence();
  EXPECT_EQ(moved->inputs.at("x").at(2, 0), 5);
  EXPECT_TRUE(moved->held.empty());
  const auto held = with_number(words, "scores", 1, 0, 7);
  ASSERT_TRUE(held.ok());
  EXPECT_TRUE(is_held(*held, "scores", 1, 0));
  EXPECT_EQ(worked_of(*held).stages.at("scores").at(1, 0), 7);
  const auto again = with_number(*held, "scores", 1, 0, 8);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->held.size(), 1U) << "held once";
  EXPECT_EQ(released(*again, "scores", 1, 0), words);
  // Keys and values that are a source's rows are the source's.
  const auto source = with_number(registry().find("search")->make(), "v", 3, 1, 9);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source->inputs.at("source").at(3, 1), 9);
  EXPECT_EQ(worked_of(*source).stages.at("k").at(3, 1), 9);
  const auto saved = case_from_json(to_json(*held), "here");
  ASSERT_TRUE(saved.ok()) << saved.error().sentence();
  EXPECT_EQ(*saved, *held) << "what is held is saved";
  EXPECT_FALSE(case_from_json(R"({"scores": [[1]], "held": [{"stage": "scores"}]})", "here").ok());
  for (const auto& [stage, row] : {std::pair("scores", 3), std::pair("nothing", 0), std::pair("x", -1)})
    EXPECT_FALSE(with_number(words, stage, row, 0, 1).ok()) << stage;
  const auto large = with_number(words, "x", 0, 0, 1e200);
  const auto larger = large.ok() ? with_number(*large, "wq", 0, 0, 1e200) : large;
  ASSERT_FALSE(larger.ok());
  EXPECT_NE(larger.error().sentence().find("no finite number"), std::string::npos);
}

TEST(ByHand, NumbersAndPastedTablesAreReadAsPeopleWriteThem) {
  for (const auto& [text, value] :
       {std::pair("1", 1.0), std::pair(" -.5", -0.5), std::pair("2,5", 2.5), std::pair("+1e-3", 1e-3)}) {
    const auto read = number_from(text, "x");
    ASSERT_TRUE(read.ok()) << text;
    EXPECT_EQ(*read, value) << text;
  }
  for (const char* text : {"", " ", "a", "1x", "nan", "inf", "1e999", "--1", "+-5", "1 2", "1,000", "1,2,3", "1.2,3"}) {
    const auto read = number_from(text, "x, row 0, column 1");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_NE(read.error().sentence().find("x, row 0, column 1"), std::string::npos);
  }
  for (const char* text : {"1\t2,5\r\n3\t4\n", "1; 2,5\n3; 4", "1 2.5\n\n3 4\n", "1, 2.5\n3, 4", "1,2.5\n3,4", "1 2,5\n3 4"}) {
    const auto table = table_from_text(text, "x");
    ASSERT_TRUE(table.ok()) << text << ": " << table.error().sentence();
    EXPECT_EQ(*table, (Table{2, 2, {1, 2.5, 3, 4}})) << text;
  }
  const auto says = [](const std::string& text, const char* words) {
    const auto table = table_from_text(text, "x");
    ASSERT_FALSE(table.ok()) << text;
    EXPECT_NE(table.error().sentence().find(words), std::string::npos) << table.error().sentence();
  };
  says("1 2\n3", "row 1 has length 1 and row 0 has length 2");
  says("1\tb", "x, row 0, column 1: 'b' is no number");
  for (const char* text : {"1\t\t2", "1,,2", "1, , 2", "1;;2", "1\t"}) says(text, "x, row 0, column 1");
  says("1 2\t3", "x, row 0, column 0: '1 2' is no number");
  says(" \n", "no number to paste");
  says("1 2 3 4 5 6 7 8 9 10 11 12 13", "at most 12 rows");
}

TEST(ByHand, AScoreOfMinusInfinityIsAMaskedCell) {
  const auto hand = case_from_json(R"({"scores": [[1, -Infinity, 2], [null, "-inf", -Infinity]], "v": [[1], [10], [100]]})", "f");
  ASSERT_TRUE(hand.ok()) << hand.error().sentence();
  const auto worked = work(*hand);
  ASSERT_TRUE(worked.ok()) << worked.error().sentence();
  EXPECT_TRUE(worked->visible(0, 0));
  EXPECT_FALSE(worked->visible(0, 1));
  const Table& weights = worked->stages.at("weights");
  EXPECT_DOUBLE_EQ(weights.at(0, 0), 1 / (1 + std::exp(1.0)));
  EXPECT_EQ(weights.at(0, 1), 0);
  for (std::int64_t key = 0; key < 3; ++key) EXPECT_EQ(weights.at(1, key), 0) << "nothing may be seen";
  EXPECT_DOUBLE_EQ(worked->stages.at("output").at(0, 0), weights.at(0, 0) + 100 * weights.at(0, 2));
  EXPECT_EQ(worked->stages.at("output").at(1, 0), 0);
  EXPECT_EQ(case_from_json(to_json(*hand), "g")->inputs, hand->inputs);
  // Scores that overflow are no mask.
  EXPECT_FALSE(work(*case_from_json(R"({"q": [[-1e200]], "k": [[1e200]]})", "f")).ok());
}

TEST(ByHand, NaNIsComputedWithWhereThatIsWanted) {
  const auto hand = case_from_json(R"({"query_names": ["NaN, \"NaN\""], "scores": [[1, NaN], [Infinity, 1], [0, 0]]})", "f");
  ASSERT_TRUE(hand.ok()) << hand.error().sentence();
  EXPECT_EQ(hand->query_names.front(), "NaN, \"NaN\"");
  EXPECT_FALSE(work(*hand).ok());
  const auto worked = work(*hand, false);
  ASSERT_TRUE(worked.ok()) << worked.error().sentence();
  const Table& weights = worked->stages.at("weights");
  for (std::int64_t row = 0; row < 2; ++row)
    for (std::int64_t key = 0; key < 2; ++key) EXPECT_TRUE(std::isnan(weights.at(row, key))) << row;
  EXPECT_EQ(weights.at(2, 1), 0.5);
}

}  // namespace
}  // namespace headlight::by_hand
