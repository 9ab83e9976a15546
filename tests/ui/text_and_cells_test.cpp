// What the GL room computes before anything is drawn: code points, shaping, reductions of large matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "app/gl/cells.h"
#include "app/gl/shaping.h"

namespace headlight::gl {
namespace {

TEST(Utf8, DecodesEveryLengthAndReplacesWhatIsBroken) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x90\x95";
  std::size_t at = 0;
  EXPECT_EQ(next_code_point(text, at), char32_t{'a'});
  EXPECT_EQ(next_code_point(text, at), char32_t{0xE9});
  EXPECT_EQ(next_code_point(text, at), char32_t{0x20AC});
  EXPECT_EQ(next_code_point(text, at), char32_t{0x1F415});
  EXPECT_EQ(at, text.size());
  EXPECT_EQ(valid_utf8("ok \xC3\xA9"), "ok \xC3\xA9");
  // A lone lead byte, an overlong form, a surrogate, a truncated end: one replacement character for each invalid byte.
  EXPECT_EQ(valid_utf8("\xC3("), "\xEF\xBF\xBD(");
  EXPECT_EQ(valid_utf8("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Shaping, IsWantedWhereGlyphsJoinOrStack) {
  EXPECT_FALSE(needs_shaping("forest"));
  EXPECT_FALSE(needs_shaping("\xE4\xBD\xA0\xE5\xA5\xBD"));                     // Chinese
  EXPECT_FALSE(needs_shaping("\xD0\xBB\xD0\xB5\xD1\x81"));                     // Cyrillic
  EXPECT_FALSE(needs_shaping("\xF0\x9F\x90\x95"));                             // one emoji
  EXPECT_TRUE(needs_shaping("\xD9\x85\xD8\xB1"));                              // Arabic
  EXPECT_TRUE(needs_shaping("\xE0\xA4\xA8\xE0\xA4\xAE"));                      // Devanagari
  EXPECT_TRUE(needs_shaping("e\xCC\x81"));                                     // a combining accent
  EXPECT_TRUE(needs_shaping("\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7"));  // an emoji family
}

figures::Cells matrix(std::int64_t rows, std::int64_t columns, std::vector<float> values, std::vector<std::uint8_t> mask = {}) {
  figures::Cells cells;
  cells.rows = rows;
  cells.columns = columns;
  cells.values = Tensor::of(values, {rows, columns});
  if (!mask.empty()) cells.mask = Tensor::of(mask, {rows, columns});
  return cells;
}

TEST(Cells, BlocksKeepATexelWithinAPixel) {
  EXPECT_EQ(block_for(100, 400), 1);
  EXPECT_EQ(block_for(100, 100), 1);
  EXPECT_EQ(block_for(100, 51), 1);
  EXPECT_EQ(block_for(100, 50), 2);
  EXPECT_EQ(block_for(4096, 100), 32);
  for (const std::int64_t cells : {33, 1000, 4097})
    for (const double pixels : {7.0, 64.0, 500.0}) {
      const auto block = static_cast<double>(block_for(cells, pixels));
      EXPECT_TRUE(block == 1 || pixels * block <= static_cast<double>(cells)) << cells << " in " << pixels;
    }
}

TEST(Cells, PlainMatricesAreGivenAsTheyAre) {
  const CellTexels texels = texels_of(matrix(2, 2, {1, 2, 3, 4}), false, 1, 1);
  EXPECT_FALSE(texels.two_channels);
  EXPECT_EQ(texels.values, (std::vector<float>{1, 2, 3, 4}));
}

TEST(Cells, MaskedCellsLeaveReductionsAndNoReductionHidesNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const CellTexels one = texels_of(matrix(1, 3, {5, 6, nan}, {1, 0, 1}), false, 1, 1);
  ASSERT_TRUE(one.two_channels);
  EXPECT_EQ(one.values, (std::vector<float>{5, 1, 0, 0, 0, 4}));
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(texels_of(matrix(1, 3, {inf, -inf, nan}, {1, 1, 0}), false, 1, 1).values, (std::vector<float>{0, 3, 0, 2, 0, 0}));
  const CellTexels plain = texels_of(matrix(1, 4, {-inf, inf, 3, -inf}), false, 1, 2);
  EXPECT_EQ(plain.values, (std::vector<float>{0, 3, 3, 2})) << "+inf before -inf, and both before a number";

  figures::Cells cells = matrix(2, 3, {1, 9, 3, 2, -4, nan}, {1, 0, 1, 1, 1, 1});
  const CellTexels largest = texels_of(cells, false, 2, 2);  // the last block is one column wide
  EXPECT_EQ(largest.width, 2);
  EXPECT_EQ(largest.height, 1);
  EXPECT_EQ(largest.values, (std::vector<float>{2, 0.75f, 3, 4}));
  EXPECT_EQ(texels_of(cells, true, 2, 2).values[0], -4) << "for a signed map the largest magnitude counts";
  cells.reduction = figures::Reduction::mean;
  EXPECT_FLOAT_EQ(texels_of(cells, false, 2, 2).values[0], (1.0f + 2 - 4) / 3);
}

}  // namespace
}  // namespace headlight::gl
