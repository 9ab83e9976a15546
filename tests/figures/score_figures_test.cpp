// The pictures of the Scores view: nothing overlaps or is cut off at any size, bars and places are the numbers', and the files
// have the numbers.
#include "app/views/scores/pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "app/views/scores/bahdanau_picture.h"
#include "tests/figures/layout_check.h"

namespace headlight::figures {
namespace {

ScoreCardsInput cards(std::size_t keys, float pitch) {
  ScoreQuestion question;
  question.s = {1, -2, 0.5, 3};
  for (std::size_t j = 0; j < keys; ++j)
    question.h.push_back(
        {std::sin(1.0 * static_cast<double>(j)), std::cos(2.0 * static_cast<double>(j)), 1, 0.1 * static_cast<double>(j)});
  ScoreCardsInput input;
  input.rows = *score_rows(question);
  for (std::size_t j = 0; j < keys; ++j) {
    input.labels.push_back("·creature" + std::to_string(j));
    input.shown.push_back(static_cast<std::int64_t>(j));
  }
  input.asker = "·creature5";
  input.in_use = "scaled_dot";
  input.d = 4;
  input.factor = input.model_factor = 0.5;
  input.pitch = pitch;
  input.words = "s is its query, h the key of each token.";
  return input;
}

TEST(ScoreCards, FitAtEverySizeAndAreAsHighAsTheySay) {
  for (const float width : {760.0f, 900.0f, 1110.0f, 1420.0f})
    for (const bool beside : {false, true})
      for (const bool low : {false, true})
        for (const std::size_t keys : {2u, 12u}) {
          ScoreCardsInput input = cards(keys, 15);
          input.low = low;
          input.beside = beside && score_cards_fit_beside(input, width, measure());
          if (keys == 12) input.shown.resize(7);
          const Figure figure = score_cards(input, width, dark(), measure());
          check(figure, width, 900, "cards " + std::to_string(static_cast<int>(width)) + (input.beside ? " beside" : ""));
          const auto lines = score_lines(input, static_cast<std::int64_t>(input.shown.size()) + (keys == 12 ? 1 : 0));
          EXPECT_NEAR(figure.height, score_cards_frame(input) + input.pitch * static_cast<float>(lines), 0.6);
        }
}

TEST(ScoreCards, EveryNumberHasAPlaceAndTheFileHasThem) {
  ScoreCardsInput input = cards(5, 20);
  input.visible = {1, 1, 0, 1, 1};
  const Figure figure = score_cards(input, 1200, dark(), measure());
  std::size_t places = 0;
  for (const Rectangle& r : all<Rectangle>(figure)) places += r.tag.kind == Tag::cell;
  EXPECT_EQ(places, 5u * 6 * 2);
  std::size_t hatched = 0;
  for (const Cells& c : all<Cells>(figure)) hatched += !c.mask.empty();
  EXPECT_EQ(hatched, 12u) << "a masked key is hatched in both halves of every card";
  ASSERT_EQ(figure.data.size(), 3u);
  for (std::int64_t card = 0; card < 6; ++card)
    EXPECT_EQ(figure.data[0].values.at({card, 3}), input.rows[static_cast<std::size_t>(card)].scores[3]);
}

// What is masked is not asked: the heading counts what the cards show.
TEST(ScoreCards, TheHeadingCountsTheTokensThatAreAsked) {
  ScoreCardsInput input = cards(5, 20);
  input.question = "who?";
  const auto says = [&](const std::string& words) {
    const Figure figure = score_cards(input, 1200, dark(), measure());
    const auto texts = all<Text>(figure);
    return std::any_of(texts.begin(), texts.end(), [&](const Text& text) { return text.text.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says("asks all 5 tokens: “who?”"));
  input.visible = {1, 1, 0, 0, 0};
  EXPECT_TRUE(says("asks the 2 tokens that it sees: “who?”"));
  EXPECT_FALSE(says("asks all"));
}

ScalePlotInput plot(double factor) {
  ScalePlotInput input;
  input.factors = scale_factors();
  const std::vector<double> dots = {4, -2, 1, 0};
  input.norms = jacobian_norms(dots, {}, 1, input.factors);
  input.others = {jacobian_norms({1, 2, 3, 9}, {}, 1, input.factors)};
  input.d = 16;
  input.root = 0.25;
  input.factor = factor;
  input.norm = jacobian_norms(dots, {}, 1, {factor}).front();
  input.norm_at_one = jacobian_norms(dots, {}, 1, {1}).front();
  input.others_words = "grey: the other queries";
  return input;
}

TEST(ScalePlot, FitsAndFindsTheFactorUnderTheMouse) {
  for (const auto& [width, height] : {std::pair{430.0f, 140.0f}, std::pair{560.0f, 200.0f}, std::pair{900.0f, 420.0f}})
    for (const double factor : {0.01, 0.25, 0.9, 1.0, 10.0}) {
      const ScalePlotInput input = plot(factor);
      const Figure figure = scale_plot(input, width, height, dark(), measure());
      check(figure, width, height, "scale " + std::to_string(static_cast<int>(width)) + " at " + std::to_string(factor));
      const Box area = std::get<Rectangle>(figure.items.back()).box;
      EXPECT_NEAR(factor_at(figure, input, {area.x, area.y + 5}, true), 0.01, 1e-6);
      EXPECT_NEAR(factor_at(figure, input, {area.x + area.w / 3, area.y + 5}, false), 0.1, 1e-4);
      EXPECT_EQ(factor_at(figure, input, {area.x - 9, area.y + 5}, false), 0);
      EXPECT_NEAR(factor_at(figure, input, {area.x + area.w + 50, area.y}, true), 10, 1e-4);
    }
}

TEST(RelationRows, FitAtEverySize) {
  RelationsInput input;
  for (const QkvRelation relation : kQkvRelations) {
    RelatedMap map;
    map.relation = relation;
    map.maps = 3;
    map.weights = 18816;
    map.scores = Tensor(DType::f64, {12, 12});
    map.given.assign(28, 0.5);
    input.maps.push_back(std::move(map));
    input.names.emplace_back("all different");
    input.meanings.emplace_back("a word asks for one thing, is matched by a second, hands on a third");
  }
  input.given_words = "·creature takes away";
  for (int i = 0; i < 12; ++i) input.queries.push_back("·creature" + std::to_string(i));
  input.keys = input.queries;
  input.from_width = 224;
  input.to_width = 28;
  input.hot_query = 2;
  input.hot_key = 5;
  for (const auto& [width, height] :
       {std::pair{430.0f, 140.0f}, std::pair{540.0f, 160.0f}, std::pair{700.0f, 230.0f}, std::pair{1100.0f, 460.0f}})
    check(relation_rows(input, width, height, dark(), measure()), width, height,
          "relations " + std::to_string(static_cast<int>(width)));
}

TEST(BahdanauSheet, FitsAtEverySizeAndEveryTagIsAPlace) {
  SheetInput input;
  BahdanauTexts texts;
  for (std::int64_t j = 0; j < 12; ++j) texts.source.push_back(j), texts.target.push_back(40 + j);
  input.step = *bahdanau_step(texts, 3, 0);
  for (int j = 0; j < 12; ++j) {
    input.source.push_back("·creature" + std::to_string(j));
    input.vocabulary.push_back("·forest" + std::to_string(j));
  }
  input.written = "·forest3";
  input.before = "·forest2";
  input.steps = 12;
  for (const auto& [width, height] : {std::pair{760.0f, 360.0f}, std::pair{1110.0f, 450.0f}, std::pair{1420.0f, 740.0f}})
    for (const char* quantity : {"e", "alpha", "c", "h"}) {
      for (std::size_t q = 0; q < kSheetQuantities.size(); ++q)
        if (std::string(kSheetQuantities[q]) == quantity) input.shown = {static_cast<std::int64_t>(q), 2, 0};
      input.number = *trace_number(input.step, quantity, 2, 0);
      const Figure figure = bahdanau_sheet(input, width, height, dark(), measure());
      check(figure, width, height, std::string("sheet ") + quantity + " " + std::to_string(static_cast<int>(width)));
      EXPECT_EQ(figure.data.size(), 6u);
    }
  const SheetPlace place{7, 3, 2};
  EXPECT_EQ(place_of_tag(tag_of(place)), place);
  EXPECT_LT(place_of_tag({Tag::row, 1, 1}).quantity, 0);
}

}  // namespace
}  // namespace headlight::figures
