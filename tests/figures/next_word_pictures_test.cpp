// The pictures of the view Next word: the candidates in a creature's thought beside the sentence, two continuations, the words
// that were generated.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/views/next_word/pictures.h"
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

TEST(ContinuationsFigure, TheBarIsSharedInProportionAndNothingOverlaps) {
  const ContinuationsInput input{{"·Turkey", 0.75}, {"·Syria·and·Lebanon", 0.25}};
  for (const float width : {240.0f, 400.0f, 900.0f})
    check(continuations(input, width, themes().entries().front(), measure()), width, 200, "at " + std::to_string(width));
  const Figure figure = continuations(input, 400, themes().entries().front(), measure());
  std::vector<float> parts;
  for (const Item& item : figure.items)
    if (const auto* box = std::get_if<Rectangle>(&item)) parts.push_back(box->box.w);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_FLOAT_EQ(parts[0], 300);
  EXPECT_FLOAT_EQ(parts[1], 100);
}

TEST(GeneratedFigure, ALowRoomHasTheLastLines) {
  GeneratedInput input;
  for (int i = 0; i < 20; ++i) input.words.push_back({"word" + std::to_string(i), 0.5});
  const Theme& theme = themes().entries().front();
  const auto words = [&](float height) {
    std::vector<std::string> all;
    const Figure figure = generated_words(input, 300, height, theme, measure());
    check(figure, 300, height > 0 ? std::max(height, 42.0f) : 2000, "in " + std::to_string(height));
    for (const Item& item : figure.items)
      if (const auto* text = std::get_if<Text>(&item); text && text->text.starts_with("word")) all.push_back(text->text);
    return all;
  };
  EXPECT_EQ(words(0).size(), 20u);
  const auto low = words(100);
  EXPECT_LT(low.size(), 20u);
  EXPECT_EQ(low.back(), "word19");
  EXPECT_GT(low.size(), words(1).size());
  EXPECT_EQ(words(1).back(), "word19") << "one line stays, whatever the room";
}

}  // namespace
}  // namespace headlight::figures
