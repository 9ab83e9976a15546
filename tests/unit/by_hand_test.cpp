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
  says(R"({"x": [[1, 2], [3]]})", {"row 1 has 1 numbers and row 0 has 2"});
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
  Case none = registry().find("search")->make();
  none.inputs["q"].at(0, 1) = std::nan("");
  EXPECT_NE(work(none).error().sentence().find("row 0, column 1 is no finite number"), std::string::npos);
  none = registry().find("search")->make();
  none.held = {{"weights", 3, 0, 1}};
  EXPECT_NE(work(none).error().sentence().find("cannot be held"), std::string::npos);
}

}  // namespace
}  // namespace headlight::by_hand
