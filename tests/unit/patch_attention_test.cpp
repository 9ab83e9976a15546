// Pictures from PNG files, and their patches as tokens. Expectations are written out or computed by plain loops.
#include "engine/images/patch_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/images/png_picture.h"

namespace headlight::images {
namespace {

// Pixel (x, y) is (x, y, 10 x + y): every number tells its place.
Picture placed(std::int64_t width, std::int64_t height) {
  Picture picture;
  picture.width = width;
  picture.height = height;
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      for (const std::int64_t value : {x, y, 10 * x + y}) picture.rgb.push_back(static_cast<std::uint8_t>(value));
  return picture;
}

TEST(Patches, AreCutRowByRowAndTheRestIsSaid) {
  const Picture picture = placed(11, 7);
  const auto grid = patch_grid(picture, 3);
  ASSERT_TRUE(grid.ok());
  EXPECT_EQ(grid->rows, 2);
  EXPECT_EQ(grid->columns, 3);
  EXPECT_EQ(grid->left_out_right, 2);
  EXPECT_EQ(grid->left_out_below, 1);
  const Tensor pixels = patch_pixels(picture, *grid);
  ASSERT_EQ(pixels.shape(), (Shape{6, 27}));
  for (std::int64_t n = 0; n < 6; ++n)
    for (std::int64_t i = 0; i < 27; ++i) {
      const std::int64_t x = n % 3 * 3 + i / 3 % 3, y = n / 3 * 3 + i / 9;
      const std::int64_t byte = i % 3 == 0 ? x : i % 3 == 1 ? y : 10 * x + y;
      EXPECT_DOUBLE_EQ(pixels.at({n, i}), static_cast<double>(byte) / 127.5 - 1);
    }
}

TEST(Patches, PositionsAreSinesOfRowThenOfColumn) {
  const Tensor code = position_code_2d(3, 5, 8);
  for (std::int64_t n = 0; n < 15; ++n)
    for (std::int64_t c = 0; c < 8; ++c) {
      const auto p = static_cast<double>(c < 4 ? n / 5 : n % 5);
      const double angle = p * (c % 4 < 2 ? 1 : 0.01);
      EXPECT_NEAR(code.at({n, c}), c % 2 == 0 ? std::sin(angle) : std::cos(angle), 1e-12) << n << " " << c;
    }
}

TEST(Patches, AttendAsPlainLoopsDo) {
  PatchModel model;
  model.side = 3;
  model.d_model = 12;
  model.heads = 3;
  const auto made = attend_patches(placed(11, 7), model);
  ASSERT_TRUE(made.ok());
  const PatchAttention& a = *made;
  for (std::int64_t n = 0; n < 6; ++n) {
    double mean = 0, variance = 0;
    for (std::int64_t c = 0; c < 12; ++c) {
      double token = 0;
      for (std::int64_t i = 0; i < 27; ++i) token += a.pixels.at({n, i}) * a.embedding.at({i, c});
      EXPECT_NEAR(a.tokens.at({n, c}), token, 1e-12);
      EXPECT_NEAR(a.input.at({n, c}), token + a.positions.at({n, c}), 1e-12);
      mean += a.input.at({n, c}) / 12;
    }
    for (std::int64_t c = 0; c < 12; ++c) variance += std::pow(a.input.at({n, c}) - mean, 2) / 12;
    for (std::int64_t c = 0; c < 12; ++c) {
      EXPECT_NEAR(a.norm.at({n, c}), (a.input.at({n, c}) - mean) / std::sqrt(variance + 1e-5), 1e-12);
      double q = 0, k = 0;
      for (std::int64_t i = 0; i < 12; ++i) {
        q += a.norm.at({n, i}) * a.wq.at({i, c});
        k += a.norm.at({n, i}) * a.wk.at({i, c});
      }
      EXPECT_NEAR(a.q.at({n, c}), q, 1e-12);
      EXPECT_NEAR(a.k.at({n, c}), k, 1e-12);
    }
  }
  for (std::int64_t h = 0; h < 3; ++h)
    for (std::int64_t i = 0; i < 6; ++i) {
      double total = 0, sum = 0;
      for (std::int64_t j = 0; j < 6; ++j) {
        double dot = 0;
        for (std::int64_t c = 4 * h; c < 4 * h + 4; ++c) dot += a.q.at({i, c}) * a.k.at({j, c});
        EXPECT_NEAR(a.scores.at({h, i, j}), dot / 2, 1e-12);
        total += std::exp(a.scores.at({h, i, j}));
        sum += a.weights.at({h, i, j});
      }
      EXPECT_NEAR(sum, 1, 1e-12);
      for (std::int64_t j = 0; j < 6; ++j) EXPECT_NEAR(a.weights.at({h, i, j}), std::exp(a.scores.at({h, i, j})) / total, 1e-12);
    }
}

TEST(Patches, WithoutPositionsEqualPatchesLookAlike) {
  Picture even = placed(8, 8);
  even.rgb.assign(even.rgb.size(), 200);
  PatchModel model;
  model.side = 4;
  model.positions = false;
  const auto alike = attend_patches(even, model);
  ASSERT_TRUE(alike.ok());
  for (const double w : alike->weights.values<double>()) EXPECT_NEAR(w, 0.25, 1e-12);
  model.positions = true;
  const auto placed_ones = attend_patches(even, model);
  ASSERT_TRUE(placed_ones.ok());
  EXPECT_GT(std::abs(placed_ones->weights.at({0, 0, 0}) - placed_ones->weights.at({0, 0, 3})), 1e-3);
}

TEST(Patches, RefuseWhatDoesNotFit) {
  const Picture picture = placed(11, 7);
  EXPECT_FALSE(patch_grid(picture, 0).ok());
  EXPECT_FALSE(patch_grid(picture, 8).ok());
  PatchModel model;
  model.side = 3;
  model.d_model = 10;
  EXPECT_EQ(attend_patches(picture, model).error().what, "d_model 10 is no multiple of 4");
  model.d_model = 16;
  model.heads = 3;
  EXPECT_EQ(attend_patches(picture, model).error().what, "d_model 16 cannot be divided among 3 heads");
  model.heads = 4;
  model.side = 1;
  EXPECT_EQ(attend_patches(placed(200, 200), model).error().kind, ErrorKind::too_large);
  CancelSource source;
  source.cancel();
  EXPECT_EQ(attend_patches(picture, model, source.token()).error().kind, ErrorKind::cancelled);
}

TEST(PngPicture, TheBundledOneIsReadAndBrokenOnesAreRefused) {
  const auto lake = bundled_picture();
  ASSERT_TRUE(lake.ok()) << lake.error().sentence();
  EXPECT_EQ(lake->width, 256);
  EXPECT_EQ(lake->height, 160);
  EXPECT_EQ(lake->rgb.size(), std::size_t{256 * 160 * 3});
  EXPECT_EQ(decode_png("no picture", "x").error().what, "this is no PNG file");
  EXPECT_EQ(decode_png("", "x").error().what, "this is no PNG file");
  std::string header("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\1", 24);
  EXPECT_EQ(decode_png(header, "x").error().what, "the picture has no pixels: 0 x 1");
  header[18] = 'N';  // 78 * 256 + 32 = 20,000
  header[19] = ' ';
  EXPECT_EQ(decode_png(header, "x").error().kind, ErrorKind::too_large);
  EXPECT_EQ(decode_png(header.substr(0, 20), "x").error().what, "this PNG file is broken");
}

}  // namespace
}  // namespace headlight::images
