// The plane of the Context view: how much it shows is said, true distances stand beside its lines, and where it misleads it says
// so.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/views/context/pictures.h"
#include "tests/figures/figure_items.h"

namespace headlight::figures {
namespace {

// Three vectors: in the plane 1 and 3 are nearest; truly 1 and 2 are.
PathsInput misleading_plane() {
  PathsInput input;
  input.names = {"first", "second", "third"};
  input.paths = {{{0, 0}, {0, 0}}, {{0, 0}, {4, 0}}, {{0, 0}, {1, 1}}};
  input.distances = {{0, 4.1, 7.25}, {4.1, 0, 8}, {7.25, 8, 0}};
  input.share = {0.4, 0.24};
  input.layer = 1;
  input.title = "paths";
  return input;
}

bool context_paths_says(const Figure& figure, const std::string& words) {
  const auto texts = all<Text>(figure);
  return std::any_of(texts.begin(), texts.end(), [&](const Text& t) { return t.text == words; });
}

TEST(ContextPaths, TheVarianceIsLargeAndTrueDistancesStandBesideTheLines) {
  const Theme& theme = *themes().find("dark");
  const Figure figure = context_paths(misleading_plane(), 640, 400, theme, measure());
  float size = 0;
  for (const Text& t : all<Text>(figure))
    if (t.text == "64 % of the variance") size = t.size;
  EXPECT_GE(size, 18);
  for (const char* number : {"4.10", "7.25", "8.00"}) EXPECT_TRUE(context_paths_says(figure, number)) << number;
}

TEST(ContextPaths, AnOrderThatThePlaneTurnsRoundIsSaid) {
  const Theme& theme = *themes().find("dark");
  PathsInput input = misleading_plane();
  EXPECT_TRUE(context_paths_says(context_paths(input, 640, 400, theme, measure()),
                                 "the plane misleads: 1 and 3 look nearest, and 1 and 2 are"));
  input.paths[2][1] = {9, 0};  // now the order agrees
  input.distances = {{0, 4.1, 9}, {4.1, 0, 5}, {9, 5, 0}};
  for (const Text& t : all<Text>(context_paths(input, 640, 400, theme, measure())))
    EXPECT_EQ(t.text.find("misleads"), std::string::npos) << t.text;
  input.layer = 0;  // one point
  input.distances = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (const Text& t : all<Text>(context_paths(input, 640, 400, theme, measure())))
    EXPECT_EQ(t.text.find("misleads"), std::string::npos) << t.text;
}

// The second of three typed sentences lacks the word: the others keep their numbers and hues.
TEST(ContextPaths, ASentenceLeftOutChangesNoOthersNumberOrHue) {
  const Theme& theme = *themes().find("dark");
  PathsInput input = misleading_plane();
  input.numbers = {0, 2, 3};
  const Figure figure = context_paths(input, 640, 400, theme, measure());
  EXPECT_TRUE(context_paths_says(figure, "the plane misleads: 1 and 4 look nearest, and 1 and 3 are"));
  int named = 0;
  for (const Text& t : all<Text>(figure)) {
    if (t.text != "3: second") continue;
    ++named;
    EXPECT_EQ(t.color, sentence_color(2, theme));
  }
  EXPECT_EQ(named, 1);
  PairMatrixInput matrix;
  matrix.values = {{0, 4}, {4, 0}};
  matrix.most = 4;
  matrix.numbers = {0, 2};
  const Figure cells = pair_matrix(matrix, 240, 260, theme, measure());
  EXPECT_TRUE(context_paths_says(cells, "3"));
  EXPECT_FALSE(context_paths_says(cells, "2"));
}

// Far from its path's end a name would seem to be that of another path.
TEST(ContextPaths, ANameThatHasNoRoomAtItsPathGivesWayToTheSentencesNumber) {
  const Theme& theme = *themes().find("dark");
  PathsInput input = misleading_plane();
  for (std::string& name : input.names) name += " sentence with so many words that no end of a path has room for all of them";
  const Figure figure = context_paths(input, 420, 300, theme, measure());
  for (const char* name : {"sentence 1", "sentence 2", "sentence 3"}) EXPECT_TRUE(context_paths_says(figure, name)) << name;
}

// Where one of the numbers has no room in its cell none is written: a part of a number would be another one.
TEST(ContextPairs, TheNumbersOfTheMatrixStandWholeOrNotAtAll) {
  const Theme& theme = *themes().find("dark");
  PairMatrixInput matrix;
  matrix.values = {{0, 75.7}, {75.7, 0}};
  matrix.most = 104;
  bool written = false, left_out = false;
  for (float width = 80; width < 160; width += 1) {
    const Figure figure = pair_matrix(matrix, width, 260, theme, measure());
    for (const Text& t : all<Text>(figure))
      if (t.text == "75.7") {
        EXPECT_LE(measure().width(t.text, t.size, t.font), t.max_width) << width;
        written = true;
      }
    left_out |= !context_paths_says(figure, "75.7");
  }
  EXPECT_TRUE(written && left_out);
}

}  // namespace
}  // namespace headlight::figures
