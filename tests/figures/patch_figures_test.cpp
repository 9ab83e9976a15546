// A picture in its own colours, its grid and heat, tiles, and a patch on its way to a token.
#include "app/views/patches/pictures.h"

#include <gtest/gtest.h>

#include "app/export/svg_writer.h"
#include "tests/figures/figure_items.h"
#include "tests/figures/layout_check.h"

namespace headlight::figures {
namespace {

// 50 x 33 pixels: patches of 8 leave 2 columns and 1 row of pixels.
PatchPictureInput sample() {
  PatchPictureInput input;
  input.photo.rgba = Tensor(DType::u8, {33, 50, 4});
  std::fill_n(input.photo.rgba.data<std::uint8_t>(), input.photo.rgba.count(), std::uint8_t{255});
  input.photo.key = 1;
  input.width = 50;
  input.height = 33;
  input.side = 8;
  input.rows = 4;
  input.columns = 6;
  input.heat = Tensor(DType::f32, {4, 6});
  for (std::int64_t i = 0; i < 24; ++i) input.heat.data<float>()[i] = static_cast<float>(i) / 23;
  input.query = 7;
  input.title = "patch (1, 1) looks at";
  input.quantity = "weight";
  input.note = "random weights, seed 0";
  return input;
}

std::vector<Rectangle> cells(const Figure& figure) {
  std::vector<Rectangle> list;
  for (const Rectangle& r : all<Rectangle>(figure))
    if (r.tag.kind == Tag::cell) list.push_back(r);
  return list;
}

TEST(PatchPicture, KeepsItsShapeAndEveryPatchCanBePointedAt) {
  for (const float width : {180.0f, 400.0f, 900.0f}) {
    const Figure figure = patch_picture(sample(), width, 420, dark(), measure());
    check(figure, width + 1, 421, "patches");
    const auto photos = all<Photo>(figure);
    ASSERT_EQ(photos.size(), 1u);
    EXPECT_NEAR(photos[0].box.w / photos[0].box.h, 50.0f / 33, 1e-3f);
    const auto patches = cells(figure);
    ASSERT_EQ(patches.size(), 24u);
    EXPECT_EQ(patches[9].tag.a, 1);
    EXPECT_EQ(patches[9].tag.b, 3);
    const float cell = photos[0].box.w * 8 / 50;
    EXPECT_NEAR(patches[9].box.x, photos[0].box.x + 3 * cell, 0.01f);
    EXPECT_NEAR(patches[9].box.w, cell, 0.01f);
    ASSERT_EQ(figure.data.size(), 1u);
    EXPECT_EQ(figure.data[0].values.at({3, 5}), 1);
  }
}

TEST(PatchPicture, HeatHasTheColourMapsColours) {
  const Figure figure = patch_picture(sample(), 600, 420, dark(), measure());
  const Colormap* const map = colormaps().find("viridis");
  int low = 0, high = 0;
  for (const Rectangle& r : all<Rectangle>(figure)) {
    const auto same = [&](float t) {
      const Color c = map->at(t, dark());
      return r.fill.a > 0.5f && r.fill.a < 1 && r.fill.r == c.r && r.fill.g == c.g && r.fill.b == c.b;
    };
    low += same(0);
    high += same(1);
  }
  EXPECT_EQ(low, 1);
  EXPECT_EQ(high, 1);
}

TEST(PatchPicture, RegionsAreCutOffWhereThePatchesEnd) {
  PatchPictureInput input = sample();
  input.region = 4;
  input.heat = Tensor(DType::f32, {1, 2});
  input.heat.data<float>()[1] = 1;
  input.query = -1;
  input.hot_region = 1;
  const Figure figure = patch_picture(input, 600, 420, dark(), measure());
  float wide = 0, cell = cells(figure)[0].box.w;
  for (const Rectangle& r : all<Rectangle>(figure))
    if (r.stroke == dark().selected) wide = r.box.w;
  EXPECT_NEAR(wide, 2 * cell, 0.01f);
}

TEST(PatchPicture, ItsHeightFollowsFromItsWidth) {
  for (const float width : {180.0f, 400.0f, 900.0f}) {
    PatchPictureInput input = sample();
    EXPECT_NEAR(patch_picture(input, width, 10000, dark(), measure()).height, patch_picture_height(input, width), 0.1f);
    input.title.clear();
    input.legend = input.numbers = false;
    EXPECT_NEAR(patch_picture(input, width, 10000, dark(), measure()).height, patch_picture_height(input, width), 0.1f);
  }
}

TEST(PatchPicture, IsAnImageInSvg) {
  const auto svg = svg_of(patch_picture(sample(), 600, 420, dark(), measure()), dark(), "", Length::Unit::px);
  ASSERT_TRUE(svg.ok());
  EXPECT_NE(svg->find("<image"), std::string::npos);
}

TEST(PatchTiles, AreLinksBelowEachOtherInANarrowRoom) {
  PatchTilesInput input;
  input.picture = sample();
  for (int i = 0; i < 5; ++i) input.tiles.push_back({"head " + std::to_string(i), sample().heat});
  input.selected = 2;
  for (const float width : {220.0f, 700.0f}) {
    const Figure figure = patch_tiles(input, width, dark(), measure());
    check(figure, width + 1, 3000, "patches");
    int links = 0;
    for (const Rectangle& r : all<Rectangle>(figure)) links += r.tag.kind == Tag::link;
    EXPECT_EQ(links, 5);
    EXPECT_EQ(figure.data[0].values.shape(), (Shape{5, 4, 6}));
  }
}

TEST(PatchTiles, AreAsLargeAsAllOfThemCanBe) {
  for (const std::size_t count : {1u, 2u, 5u, 8u})
    for (const float width : {220.0f, 500.0f, 700.0f}) {
      PatchTilesInput input;
      input.picture = sample();
      input.tiles.resize(count, {"head", sample().heat});
      EXPECT_NEAR(patch_tiles(input, width, dark(), measure()).height, patch_tiles_height(input, width), 0.1f);
      float before = 0;
      for (const float height : {400.0f, 600.0f, 900.0f}) {
        PatchTilesInput fitted = input;
        fit_patch_tiles(fitted, width, height, 330);
        EXPECT_LE(patch_tiles_height(fitted, width), height + 0.6f) << count << " in " << width << " x " << height;
        EXPECT_NEAR(patch_tiles(fitted, width, dark(), measure()).height, patch_tiles_height(fitted, width), 0.1f);
        PatchTilesInput again = input;
        fit_patch_tiles(again, width, patch_tiles_height(fitted, width), 330);
        EXPECT_NEAR(again.most_tile, fitted.most_tile, 0.1f) << "their own height is room enough";
        EXPECT_GE(fitted.most_tile, before);
        EXPECT_LE(fitted.most_tile, 330);
        before = fitted.most_tile;
      }
      EXPECT_GT(before, 56) << "there is room to spare";
    }
}

TEST(PatchToken, StandsUnderItsMatrix) {
  PatchTokenInput input;
  input.patch.rgba = Tensor(DType::u8, {8, 8, 4});
  input.pixels = Tensor(DType::f32, {192, 1});
  input.matrix = Tensor(DType::f32, {192, 16});
  input.token = Tensor(DType::f32, {1, 16});
  input.position = Tensor(DType::f32, {1, 16});
  input.input = Tensor(DType::f32, {1, 16});
  input.side = 8;
  input.hot = 3;
  input.note = "random weights, seed 0";
  input.patch_words = "patch (1, 1): 8 x 8 pixels, 192 numbers";
  for (const float width : {420.0f, 900.0f}) {
    const Figure figure = patch_to_token(input, width, 420, dark(), measure());
    check(figure, width + 1, 421, "patches");
    const auto matrices = all<Cells>(figure);
    ASSERT_EQ(matrices.size(), 5u);
    EXPECT_NEAR(matrices[1].box.x, matrices[2].box.x, 0.01f);
    EXPECT_NEAR(matrices[1].box.w, matrices[2].box.w, 0.01f);
    EXPECT_LT(matrices[1].box.y, matrices[2].box.y);
    EXPECT_EQ(figure.data.size(), 5u);
  }
}

}  // namespace
}  // namespace headlight::figures
