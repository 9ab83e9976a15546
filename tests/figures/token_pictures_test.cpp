// The pictures of the Tokens view: ribbons between rows, stages, the three ways through one word, costs, and languages.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/figures/base/compose.h"
#include "app/views/tokens/cost_picture.h"
#include "app/views/tokens/language_picture.h"
#include "app/views/tokens/rows_picture.h"
#include "app/views/tokens/story_picture.h"
#include "app/views/tokens/word_picture.h"
#include "figure_items.h"

namespace headlight::figures {
namespace {

TokenRowsInput ribbon_rows() {
  TokenRowsInput input;
  for (int i = 0; i < 6; ++i) input.characters.push_back({std::string(1, static_cast<char>('a' + i)), i, i + 1, i / 3});
  TokenRow first, second;
  first.name = "one";
  first.pieces = {{"abc", "1", 0, 3}, {"def", "2", 3, 6}};
  second.name = "two";
  second.pieces = {{"ab", "3", 0, 2}, {"c", "4", 2, 3}, {"def", "5", 3, 6}};
  input.rows = {first, second};
  return input;
}
Figure ribbons_body(const TokenRowsInput& input, TokenLight light = {}, float pitch = kTokenPitch) {
  return token_body(input, place_characters(input, 600, measure()), light, 0, 1000, dark(), measure(), pitch);
}

TEST(TokenRibbons, ANeedleIsACutThatOneRowMakesAlone) {
  const auto needles = all<Polygon>(ribbons_body(ribbon_rows()));
  ASSERT_EQ(needles.size(), 1u) << "both cut at d, the lower one alone at c";
  const auto places = place_characters(ribbon_rows(), 600, measure());
  EXPECT_FLOAT_EQ(needles[0].points[2].x, places.left[2]);
  EXPECT_LT(needles[0].points[2].y, needles[0].points[0].y) << "it points at the row that does not cut";
  TokenRowsInput same = ribbon_rows();
  same.rows[1].pieces = same.rows[0].pieces;
  EXPECT_TRUE(all<Polygon>(ribbons_body(same)).empty());
}

TEST(TokenRibbons, TheLightedCharactersAreAmberInEveryRow) {
  const auto lit = [](const Figure& figure) {
    std::size_t ribbons = 0;
    for (const auto& box : all<Rectangle>(figure))
      ribbons += box.tag.kind == Tag::none && box.fill == with_alpha(dark().selected, 0.26f);
    return ribbons;
  };
  EXPECT_EQ(lit(ribbons_body(ribbon_rows())), 0u);
  EXPECT_EQ(lit(ribbons_body(ribbon_rows(), {3, 4})), 1u);
  EXPECT_EQ(lit(ribbons_body(ribbon_rows(), {0, 6})), 3u);
}

TEST(TokenRibbons, AWordKeepsItsHueInAllRows) {
  std::set<float> hues;
  for (const auto& box : all<Rectangle>(ribbons_body(ribbon_rows())))
    if (box.tag.kind == Tag::token && box.tag.a >= 0 && box.box.x < place_characters(ribbon_rows(), 600, measure()).left[3] - 1)
      hues.insert(box.stroke.r * 7 + box.stroke.g * 3 + box.stroke.b);
  EXPECT_EQ(hues.size(), 1u);
}

TEST(TokenRibbons, CharactersWithoutATokenAreHatched) {
  TokenRowsInput input = ribbon_rows();
  const std::size_t plain = all<Line>(ribbons_body(input)).size();
  input.rows[1].pieces.erase(input.rows[1].pieces.begin() + 1);
  EXPECT_GT(all<Line>(ribbons_body(input)).size(), plain + 3);
}

TEST(TokenRows, BytesOfOneCharacterShareItsRoom) {
  TokenRowsInput input;
  input.characters = {{"猫", 0, 3, 0}};
  TokenRow row;
  row.pieces = {{"0xE7", "1", 0, 3}, {"0x8C", "2", 0, 3}, {"0xAB", "3", 0, 3}};
  input.rows = {row};
  std::vector<Box> boxes;
  for (const auto& box : all<Rectangle>(ribbons_body(input)))
    if (box.tag.kind == Tag::token && box.tag.a == 0) boxes.push_back(box.box);
  ASSERT_EQ(boxes.size(), 3u);
  EXPECT_LE(boxes[0].x + boxes[0].w, boxes[1].x + 0.01f);
  EXPECT_LE(boxes[1].x + boxes[1].w, boxes[2].x + 0.01f);
}

// A sign for a space before the text stands for the first character, as the pieces of that character do.
TEST(TokenRows, ASignBeforeTheTextLiesOverNoPiece) {
  TokenRowsInput input;
  input.characters = {{"蓬", 0, 3, 0}, {"x", 3, 4, 1}};
  TokenRow row;
  row.pieces = {{"·", "29871", 0, 3}, {"0xE8", "235", 0, 1}, {"0x93", "150", 1, 2}, {"0xAC", "175", 2, 3}, {"x", "29916", 3, 4}};
  input.rows = {row};
  std::vector<Box> boxes;
  for (const auto& box : all<Rectangle>(ribbons_body(input)))
    if (box.tag.kind == Tag::token && box.tag.a == 0) boxes.push_back(box.box);
  ASSERT_EQ(boxes.size(), 5u);
  for (std::size_t i = 1; i < boxes.size(); ++i) EXPECT_LE(boxes[i - 1].x + boxes[i - 1].w, boxes[i].x + 0.01f) << i;
  EXPECT_NEAR(boxes[1].w, boxes[2].w, 0.01f);
}

TEST(TokenStages, StandBelowTheRowsAndMakeThePictureHigher) {
  TokenRowsInput input = ribbon_rows();
  const float before = token_rows_height(input);
  auto& stage = input.stages.emplace_back();
  stage.name = "normalise";
  stage.count = "6 characters";
  stage.cells = {{"a", 0, 1}, {"x", 1, 2, true}};
  stage.parts = {{0, 3}, {3, 6}};
  EXPECT_NEAR(token_rows_height(input) - before, token_stages_height(input), 0.01f);
  const auto places = place_characters(input, 600, measure());
  bool changed = false;
  for (const auto& text : all<Text>(ribbons_body(input)))
    if (text.text == "x") {
      changed = true;
      EXPECT_EQ(text.color, dark().info);
      EXPECT_GT(text.at.x, places.left[1]);
      EXPECT_LT(text.at.x, places.left[2]);
      EXPECT_GT(text.at.y, before - 8);
    }
  EXPECT_TRUE(changed);
  const Figure whole = token_rows(input, 900, dark(), measure());
  EXPECT_TRUE(std::ranges::any_of(all<Text>(whole), [](const Text& text) { return text.text == "6 characters"; }));
}

LatticeInput small_lattice() {
  LatticeInput input;
  for (int i = 0; i < 3; ++i) input.letters.push_back({std::string(1, "aab"[i]), i, i + 1});
  input.pieces = {{0, 1, "a", -1}, {0, 2, "aa", -2.5}, {1, 2, "a", -1}, {1, 3, "ab", -2.75}, {2, 3, "b", -2}};
  input.best = {0, -1, -2, -3.75};
  input.paths = {{{0, 3}, -3.75, 0.44}, {{0, 2, 4}, -4, 0.35}, {{1, 4}, -4.5, 0.21}};
  return input;
}

TEST(Lattice, NoBarLiesOverAnother) {
  std::vector<Box> bars;
  for (const auto& box : all<Rectangle>(lattice_picture(small_lattice(), 480, dark(), measure())))
    if (box.tag.kind == Tag::bar) bars.push_back(box.box);
  ASSERT_EQ(bars.size(), 5u);
  for (std::size_t i = 0; i < bars.size(); ++i)
    for (std::size_t k = i + 1; k < bars.size(); ++k)
      EXPECT_TRUE(bars[i].x + bars[i].w <= bars[k].x || bars[k].x + bars[k].w <= bars[i].x ||
                  bars[i].y + bars[i].h <= bars[k].y || bars[k].y + bars[k].h <= bars[i].y)
          << i << " over " << k;
}

TEST(Lattice, TheBestPathIsAmberAndTheNextOneBlue) {
  std::map<std::int64_t, Color> edges;
  for (const auto& box : all<Rectangle>(lattice_picture(small_lattice(), 480, dark(), measure())))
    if (box.tag.kind == Tag::bar) edges[box.tag.a] = box.stroke;
  EXPECT_EQ(edges[0], dark().selected) << "on both paths: amber, with a blue line";
  EXPECT_EQ(edges[3], dark().selected);
  EXPECT_EQ(edges[2], dark().info);
  EXPECT_EQ(edges[4], dark().info);
  EXPECT_EQ(edges[1], dark().line);
  LatticeInput other = small_lattice();
  other.chosen = 2;
  for (const auto& box : all<Rectangle>(lattice_picture(other, 480, dark(), measure())))
    if (box.tag.kind == Tag::bar && box.tag.a == 1) {
      EXPECT_EQ(box.stroke, dark().selected);
    }
}

TEST(Tries, AreFoldedToWhatWasFound) {
  TriesInput input;
  for (int i = 0; i < 4; ++i) input.letters.push_back({std::string(1, "unab"[i]), i, i + 1});
  input.tries = {{0, 4, false}, {0, 3, false}, {0, 2, true}, {2, 4, true}};
  const Figure open = tries_picture(input, 300, dark(), measure());
  input.folded = true;
  const Figure folded = tries_picture(input, 300, dark(), measure());
  EXPECT_LT(folded.height, open.height);
  const auto found = [](const Figure& figure) {
    return std::ranges::count_if(all<Rectangle>(figure), [](const Rectangle& box) { return box.stroke == dark().good; });
  };
  EXPECT_EQ(found(open), 2);
  EXPECT_EQ(found(folded), 2);
}

JoinsInput small_joins() {
  JoinsInput input;
  for (int i = 0; i < 3; ++i) input.letters.push_back({std::string(1, "hug"[i]), i, i + 1});
  input.states = {
      {{{0, 1, "h"}, {1, 2, "u"}, {2, 3, "g"}}, {-1, 1}, 1}, {{{0, 1, "h"}, {1, 3, "ug"}}, {3}, 0}, {{{0, 3, "hug"}}, {}, -1}};
  return input;
}

TEST(Joins, TheChosenRankIsBlueAndTheTreeHasALineAJoin) {
  const Figure joins = joins_picture(small_joins(), 300, dark(), measure());
  std::vector<std::string> blue;
  for (const auto& text : all<Text>(joins))
    if (text.color == dark().info) blue.push_back(text.text);
  EXPECT_EQ(blue, (std::vector<std::string>{"1", "3"}));
  const Figure tree = merge_tree(small_joins(), 300, dark(), measure());
  std::vector<std::pair<float, std::string>> made;
  for (const auto& text : all<Text>(tree))
    if (text.text == "ug" || text.text == "hug") made.emplace_back(text.at.y, text.text);
  std::ranges::sort(made);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].second, "hug") << "it is read upward";
}

TEST(TokenStory, HasOnlyWhatItKnows) {
  TokenStory story;
  story.piece = "·hug";
  story.where = "BPE · token 1 of 4";
  story.facts = {{"id", "13", ""}};
  const float plain = token_story(story, 300, dark(), measure()).height;
  story.how = "how it came to be";
  story.joins = small_joins();
  story.elsewhere = {{"WordPiece", "2", "hu | ##g"}};
  const Figure told = token_story(story, 300, dark(), measure());
  EXPECT_GT(told.height, plain + 60);
  for (const auto& text : all<Text>(told)) EXPECT_LE(text.at.y, told.height);
}

TEST(CostTable, ABarIsAsLongAsItsNumber) {
  CostTable table;
  table.columns = {{"tokens", ""}};
  CostTable::Row small, large;
  small.name = "small";
  small.hue = 0;
  small.cells = {{"25", 25}};
  large.name = "large";
  large.hue = 1;
  large.cells = {{"100", 100, 50}};
  table.rows = {small, large};
  const Figure figure = cost_table(table, 500, dark(), measure());
  std::vector<float> bars;
  for (const auto& box : all<Rectangle>(figure))
    if (box.tag.kind == Tag::none && (box.fill == dark().hues[0] || box.fill == dark().hues[1]) && box.box.h < 6)
      bars.push_back(box.box.w);
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_NEAR(bars[0] / bars[1], 0.25f, 0.01f);
  ASSERT_EQ(figure.data.size(), 1u);
  EXPECT_EQ(figure.data[0].values.at({1, 0}), 100);
}

LanguagePlot small_plot() {
  LanguagePlot plot;
  plot.languages = {"English", "German", "Khmer"};
  plot.scripts = {"Latin", "Latin", "Khmer"};
  plot.base = "English";
  plot.order = {0, 1, 2};
  LanguagePlot::Series gpt, bert;
  gpt.name = "GPT-2";
  gpt.times = {1, 2, 16};
  gpt.unknown = {0, 0, 0};
  gpt.tokens = {10, 20, 160};
  bert.name = "BERT";
  bert.hue = 1;
  bert.mark = Mark::square;
  bert.times = {1, 1.5, 0.8};
  bert.unknown = {0, 0, 0.9};
  bert.tokens = {10, 15, 8};
  plot.series = {gpt, bert};
  return plot;
}

TEST(LanguagePlot, IsLogarithmicAndUnknownMarksLeaveTheScale) {
  const Figure figure = language_plot(small_plot(), 800, 400, dark(), measure());
  std::vector<Point> discs;
  for (const auto& disc : all<Disc>(figure))
    if (disc.radius < 5) discs.push_back(disc.centre);
  ASSERT_EQ(discs.size(), 3u);
  EXPECT_NEAR((discs[2].x - discs[0].x) / (discs[1].x - discs[0].x), 4, 0.01) << "16 is two to the fourth";
  std::vector<float> squares;
  for (const auto& box : all<Rectangle>(figure))
    if (box.fill == dark().hues[1] && box.box.y > 60) squares.push_back(box.box.x);
  ASSERT_EQ(squares.size(), 3u);
  EXPECT_LT(squares[2], discs[0].x - 20) << "nine tenths are unknown: the mark stands in the lane";
}

TEST(LanguagePlot, LinesAreTaggedAndTheLegendToo) {
  const Figure figure = language_plot(small_plot(), 800, 400, dark(), measure());
  std::size_t rows = 0, columns = 0;
  for (const auto& box : all<Rectangle>(figure)) {
    rows += box.tag.kind == Tag::row;
    columns += box.tag.kind == Tag::column;
  }
  EXPECT_EQ(rows, 3u);
  EXPECT_EQ(columns, 2u);
  EXPECT_EQ(figure.data.at(0).values.at({2, 0, 0}), 160);
}

TEST(LanguageFits, TheTickIsTheBases) {
  LanguageFits fits;
  fits.texts = 10;
  fits.rows = {{"GPT-2", 0, Mark::disc, 1, 8}};
  const auto boxes = all<Rectangle>(language_fits(fits, 400, dark(), measure()));
  EXPECT_EQ(std::ranges::count_if(boxes, [](const Rectangle& box) { return box.fill == dark().hues[0] && box.box.h == 14; }), 1);
  EXPECT_TRUE(std::ranges::any_of(boxes, [](const Rectangle& box) { return box.fill == dark().text; }));
}

}  // namespace
}  // namespace headlight::figures
