// The candidates in a creature's thought beside the sentence: they fit at every width, and the rows can be pointed at.
#include "app/figures/next_word/thinking.h"

#include <gtest/gtest.h>

#include "tests/figures/layout_check.h"

namespace headlight::figures {
namespace {

ThinkingInput thought() {
  ThinkingInput input;
  input.sentence = "a fluffy blue creature roamed the verdant forest and looked for something to eat";
  input.candidates.rows = {{"·Turkey", 0.812, 0.893}, {"·Syria", 0.041, 0.045}, {"·the", 0.03, 0}};
  input.candidates.allowed = 2;
  input.candidates.cut_words = "top-p 0.90 cuts here";
  input.candidates.others = "2,038 other words";
  input.candidates.tracked = 0;
  return input;
}

TEST(ThinkingFigure, FitsAtEveryWidth) {
  for (const float width : {260.0f, 419.0f, 420.0f, 460.0f, 700.0f, 1100.0f})
    for (const Theme& theme : themes().entries())
      check(thinking(thought(), width, theme, measure()), width, 2000, "thinking at " + std::to_string(width));
}

TEST(ThinkingFigure, TheRowsAreTheCandidatesAndStandBesideTheSentence) {
  const Figure figure = thinking(thought(), 900, themes().entries().front(), measure());
  ASSERT_EQ(figure.data.size(), 2u);
  EXPECT_EQ(figure.data[0].values.count(), 3);
  float sentence = 0, least_row = 1e9f;
  for (const Item& item : figure.items) {
    if (const auto* text = std::get_if<Text>(&item); text && text->size == 20) sentence = std::max(sentence, text->at.x);
    if (const auto* text = std::get_if<Text>(&item); text && text->text == "·Turkey") least_row = text->at.x;
  }
  EXPECT_EQ(sentence, 0) << "the sentence begins at the left";
  EXPECT_GT(least_row, 900 * 0.38f) << "and the thought stands to the right of it";
}

}  // namespace
}  // namespace headlight::figures
