// Chips of special and added tokens that a sentence names, and their legend.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/figures/tokens/chip_rows.h"
#include "app/views/tokens/rows_picture.h"
#include "figure_items.h"

namespace headlight::figures {
namespace {

std::vector<Rectangle> chip_boxes(bool added) {
  ChipRowsInput input;
  Chip chip;
  chip.text = "[MASK]";
  chip.id = "103";
  chip.added = added;
  input.chips = {chip};
  return all<Rectangle>(chip_rows(input, 400, dark(), measure()));
}

TEST(TokenRows, AnAddedTokensChipIsSquareWithADoubleEdge) {
  const auto plain = chip_boxes(false), added = chip_boxes(true);
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_GT(plain[0].radius, 0);
  ASSERT_EQ(added.size(), 2u);
  EXPECT_EQ(added[0].radius, 0);
  EXPECT_EQ(added[0].stroke, dark().text);
  EXPECT_NE(plain[0].stroke, dark().text);
  EXPECT_GT(added[1].box.x, added[0].box.x);
  EXPECT_LT(added[1].box.w, added[0].box.w);
  EXPECT_EQ(added[1].tag.kind, Tag{}.kind) << "the inner edge is no chip of its own";
}

TokenRowsInput sentence_with(bool added) {
  TokenRowsInput input;
  input.characters = {{"a", 0, 1}, {"[", 1, 2}};
  TokenRow row;
  row.name = "BERT";
  row.pieces = {{"a", "5", 0, 1}, {"[", "6", 1, 2, false, added}};
  input.rows = {row};
  return input;
}

bool says(const Figure& figure, const std::string& words) {
  const auto texts = all<Text>(figure);
  return std::any_of(texts.begin(), texts.end(), [&](const Text& text) { return text.text == words; });
}

TEST(TokenRows, TheLegendSaysWhatTheChipIsAndThatSpecialTokensAreText) {
  const std::string named = "a special or added token that the sentence names", plain = "special tokens are read as plain text";
  EXPECT_EQ(token_legend(sentence_with(false), 640, dark(), measure()).height, 0);
  const Figure without = token_rows(sentence_with(false), 800, dark(), measure());
  EXPECT_FALSE(says(without, named) || says(without, plain));
  const Figure with = token_rows(sentence_with(true), 800, dark(), measure());
  EXPECT_TRUE(says(with, named));
  EXPECT_GT(with.height, without.height);
  TokenRowsInput as_text = sentence_with(false);
  as_text.plain = true;
  const Figure said = token_rows(as_text, 800, dark(), measure());
  EXPECT_TRUE(says(said, plain));
  EXPECT_FALSE(says(said, named));
}

}  // namespace
}  // namespace headlight::figures
