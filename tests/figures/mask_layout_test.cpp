// The layouts of the Masks tab: positions of the pictures, edges of the mask, the shapes, and softmax under both fills.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include <cmath>
#include <limits>
#include <numeric>

#include "app/figures/masks/mask_fill.h"
#include "app/figures/masks/mask_pictures.h"
#include "app/figures/masks/mask_shapes.h"

namespace headlight::figures {
namespace {

struct Pitch final : TextMeasure {
  float width(std::string_view text, float size, Font) const override { return 0.5f * size * static_cast<float>(text.size()); }
  float line_height(float size, Font) const override { return size * 1.3f; }
} const pitch;

const Theme& dark() { return themes().entries().front(); }

Tensor causal(std::int64_t n) {
  std::vector<std::uint8_t> cells;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) cells.push_back(j <= i);
  return Tensor::of<std::uint8_t>(cells, {n, n});
}

MaskPicturesInput input_of(std::int64_t n, std::size_t pictures) {
  MaskPicturesInput input;
  input.rows = input.columns = n;
  for (std::int64_t i = 0; i < n; ++i) input.row_labels.push_back("token" + std::to_string(i));
  input.column_labels = input.row_labels;
  for (std::size_t p = 0; p < pictures; ++p) {
    MaskPicture picture;
    picture.title = pictures > 1 ? "picture " + std::to_string(p) : "";
    picture.values = Tensor(DType::f32, {n, n});
    if (p == 1) picture.mask = causal(n);
    picture.range_words = "weight 0..1";
    picture.key = p + 1;
    input.pictures.push_back(std::move(picture));
  }
  input.notes = {"random weights, seed 0"};
  return input;
}

std::vector<Cells> pictures_of(const Figure& figure) {
  std::vector<Cells> out;
  for (const Item& item : figure.items)
    if (const auto* cells = std::get_if<Cells>(&item); cells && cells->tag.kind == Tag::cell_area) out.push_back(*cells);
  return out;
}

TEST(MaskPictures, ThreeOfOneSizeBesideEachOtherInsideTheFigure) {
  for (const std::int64_t n : {1, 2, 9, 60, 700})
    for (const auto& [width, height] : {std::pair{n == 9 ? 800.0f : 600.0f, 320.0f}, {1100.0f, 700.0f}}) {
      SCOPED_TRACE(n);
      const Figure figure = mask_pictures(input_of(n, 3), width, height, dark(), pitch);
      const auto pictures = pictures_of(figure);
      ASSERT_EQ(pictures.size(), 3u);
      EXPECT_LE(figure.width, width);
      EXPECT_LE(figure.height, height);
      for (std::size_t p = 0; p < 3; ++p) {
        EXPECT_EQ(pictures[p].box.w, pictures[0].box.w);
        EXPECT_EQ(pictures[p].box.y, pictures[0].box.y);
        EXPECT_EQ(pictures[p].box.h, pictures[0].box.h);
        if (n > 32) {
          EXPECT_NEAR(pictures[p].box.w, pictures[p].box.h, 1e-3);
        } else {  // few tokens: wider cells where the labels need it, of a bounded shape
          EXPECT_LE(pictures[p].box.w, 2.51f * pictures[p].box.h);
          EXPECT_LE(pictures[p].box.h, 1.61f * pictures[p].box.w);
        }
        EXPECT_GE(pictures[p].box.x, 0);
        EXPECT_LE(pictures[p].box.x + pictures[p].box.w, figure.width);
        EXPECT_LE(pictures[p].box.y + pictures[p].box.h, figure.height);
        if (p) {
          EXPECT_GE(pictures[p].box.x, pictures[p - 1].box.x + pictures[p - 1].box.w + 8);
        }
      }
      EXPECT_TRUE(pictures[0].mask.empty());
      EXPECT_FALSE(pictures[1].mask.empty());
    }
}

// Up to 20 tokens: every label stands, at the sizes that the window has for them at 1280 x 720 and 1600 x 1000.
TEST(MaskPictures, EveryOneOfTwentyTokensIsNamed) {
  for (const std::int64_t n : {2, 9, 12, 15, 20})
    for (const std::size_t count : {std::size_t{1}, std::size_t{3}})
      for (const auto& [width, height] : {std::pair{590.0f, 400.0f}, {780.0f, 680.0f}, {1100.0f, 600.0f}}) {
        SCOPED_TRACE(std::to_string(n) + " tokens, " + std::to_string(count) + " pictures in " + std::to_string(width));
        const Figure figure = mask_pictures(input_of(n, count), width, height, dark(), pitch);
        const auto pictures = pictures_of(figure);
        ASSERT_EQ(pictures.size(), count);
        std::map<std::string, std::size_t> labels;
        for (const Item& item : figure.items)
          if (const auto* text = std::get_if<Text>(&item); text && text->text.starts_with("token")) ++labels[text->text];
        for (std::int64_t i = 0; i < n; ++i) EXPECT_GE(labels["token" + std::to_string(i)], count + 1) << i;
        EXPECT_LE(figure.width, width);
        for (const Cells& cells : pictures) {
          EXPECT_LE(cells.box.x + cells.box.w, figure.width);
          EXPECT_LE(cells.box.y + cells.box.h, figure.height);
        }
        for (std::size_t p = 1; p < count; ++p) {
          EXPECT_NEAR(pictures[p].box.w, pictures[0].box.w, 0.5) << "cells of one size";
          EXPECT_NEAR(pictures[p].box.h, pictures[0].box.h, 0.5);
        }
      }
}

TEST(MaskPictures, ALowWideRoomGivesThePictureItsHeight) {
  const Figure figure = mask_pictures(input_of(15, 1), 600, 330, dark(), pitch);
  const auto pictures = pictures_of(figure);
  ASSERT_EQ(pictures.size(), 1u);
  EXPECT_GT(pictures[0].box.h, 0.6f * 330);
  for (const Item& item : figure.items)
    if (const auto* text = std::get_if<Text>(&item); text && text->text == "random weights, seed 0") {
      EXPECT_GT(text->at.x, pictures[0].box.x + pictures[0].box.w) << "the words stand beside it";
      EXPECT_LE(text->at.x + pitch.width(text->text, text->size, text->font), 600);
    }
}

TEST(MaskPictures, AWindowIntoTheMatrixCountsItsCellsAndMarksFromThere) {
  MaskPicturesInput input = input_of(40, 1);
  input.first_row = 10;
  input.row_count = 5;
  input.first_column = 20;
  input.column_count = 5;
  input.stroke = {{8, 0, 4, 40}};  // rows 8 to 11: two of them in the window
  const Figure figure = mask_pictures(input, 500, 500, dark(), pitch);
  const auto pictures = pictures_of(figure);
  ASSERT_EQ(pictures.size(), 1u);
  EXPECT_EQ(pictures[0].tag.a, 10);
  EXPECT_EQ(pictures[0].tag.b, 20);
  EXPECT_EQ(pictures[0].rows, 5);
  EXPECT_EQ(pictures[0].from_row, 10);
  EXPECT_EQ(pictures[0].from_column, 20);
  int strokes = 0;
  for (const Item& item : figure.items)
    if (const auto* box = std::get_if<Rectangle>(&item); box && box->stroke == dark().selected) {
      ++strokes;
      EXPECT_NEAR(box->box.y, pictures[0].box.y, 1e-3);
      EXPECT_NEAR(box->box.h, pictures[0].box.h * 2 / 5, 1e-3);
      EXPECT_NEAR(box->box.w, pictures[0].box.w, 1e-3);
    }
  EXPECT_EQ(strokes, 1);
}

TEST(MaskPictures, LineByLineCoversWhatIsToCome) {
  MaskPicturesInput input = input_of(8, 1);
  input.revealed = 3;
  const Figure figure = mask_pictures(input, 600, 600, dark(), pitch);
  const Cells cells = pictures_of(figure).at(0);
  bool covered = false;
  for (const Item& item : figure.items)
    if (const auto* box = std::get_if<Rectangle>(&item); box && box->fill.a > 0.8f) {
      covered = true;
      EXPECT_NEAR(box->box.y, cells.box.y + cells.box.h * 3 / 8, 1e-3);
      EXPECT_NEAR(box->box.y + box->box.h, cells.box.y + cells.box.h, 1e-3);
    }
  EXPECT_TRUE(covered);
}

// The total length equals the number of neighbouring cells of which one is masked.
TEST(MaskEdges, AreAsLongAsTheBoundary) {
  const std::int64_t n = 17;
  Tensor mask(DType::u8, {n, n});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) mask.data<std::uint8_t>()[i * n + j] = (i * 5 + j * 3) % 7 < 3 || i == j;
  const auto* cells = mask.data<std::uint8_t>();
  std::int64_t boundary = 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      if (i) boundary += cells[i * n + j] != cells[(i - 1) * n + j];
      if (j) boundary += cells[i * n + j] != cells[i * n + j - 1];
    }
  float length = 0;
  for (const CellEdge& e : mask_edges(mask)) {
    length += std::abs(e.to_row - e.from_row) + std::abs(e.to_column - e.from_column);
    // Every unit of it is between two cells that differ.
    if (e.from_row == e.to_row)
      for (auto c = static_cast<std::int64_t>(e.from_column); c < static_cast<std::int64_t>(e.to_column); ++c) {
        const auto r = static_cast<std::int64_t>(e.from_row);
        EXPECT_NE(cells[r * n + c], cells[(r - 1) * n + c]);
      }
  }
  EXPECT_EQ(length, static_cast<float>(boundary));
  EXPECT_TRUE(mask_edges(mask, 10).empty()) << "a net is no outline";
  EXPECT_TRUE(mask_edges({}).empty());
}

TEST(MaskFill, SoftmaxUnderBothFills) {
  const std::vector<double> scaled{0.3, -1.2, 2.5, 0.9};
  const std::vector<std::uint8_t> visible{1, 1, 0, 1};
  for (const double temperature : {1.0, 0.5}) {
    double sum = 0;
    for (const std::size_t j : {0u, 1u, 3u}) sum += std::exp(scaled[j] / temperature);
    for (const double fill : {-std::numeric_limits<double>::infinity(), -1e9}) {
      const FilledRow row = fill_row(scaled, visible, fill, temperature);
      for (const std::size_t j : {0u, 1u, 3u}) EXPECT_NEAR(row.weights[j], std::exp(scaled[j] / temperature) / sum, 1e-12);
      EXPECT_EQ(row.weights[2], 0.0);
      EXPECT_EQ(row.masked[2], fill);
      EXPECT_NEAR(row.sum, 1, 1e-12);
    }
  }
  const std::vector<std::uint8_t> nothing(4, 0);
  const FilledRow zeros = fill_row(scaled, nothing, -std::numeric_limits<double>::infinity(), 1);
  EXPECT_EQ(zeros.weights, std::vector<double>(4, 0.0));
  EXPECT_EQ(zeros.sum, 0.0);
  for (const double weight : fill_row(scaled, nothing, -1e9, 1).weights) EXPECT_EQ(weight, 0.25);
}

TEST(MaskFill, ShowsWhatFitsAndSaysThatThereIsMore) {
  MaskFillInput input;
  for (int j = 0; j < 60; ++j) {
    input.keys.push_back("key" + std::to_string(j));
    input.scaled.push_back(0.01 * j);
    input.visible.push_back(j < 30);
  }
  input.words[0] = input.words[1] = "what it does to this row";
  input.more = "more";
  const Figure figure = mask_fill(input, 700, 500, dark(), pitch);
  EXPECT_LE(figure.height, 500);
  bool more = false;
  int keys = 0;
  for (const Item& item : figure.items)
    if (const auto* text = std::get_if<Text>(&item)) {
      more = more || text->text == "more";
      keys += text->text.starts_with("key") && text->text != "key";
      EXPECT_LE(text->at.y, figure.height);
    }
  EXPECT_TRUE(more);
  EXPECT_GT(keys, 5);
  ASSERT_EQ(figure.data.size(), 4u);
  EXPECT_EQ(figure.data[1].values.count(), 60) << "the data has all of them";
}

TEST(MaskShapes, EachAsItIsMadeAndBroadcast) {
  MaskShapesInput input;
  input.scores = {2, 4, 6, 6};
  const Tensor padding = Tensor::of<std::uint8_t>({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {2, 1, 1, 6});
  const Tensor look = causal(6).reshaped({1, 1, 6, 6});
  for (const Tensor& mask : {padding, look}) {
    MaskShapesInput::Layer layer;
    layer.name = mask.dim(0) == 2 ? "padding" : "causal";
    layer.mask = mask;
    layer.thumbs = mask_thumbs(mask, input.scores);
    input.layers.push_back(std::move(layer));
  }
  ASSERT_EQ(input.layers[0].thumbs.made.size(), 2u);
  ASSERT_EQ(input.layers[0].thumbs.broadcast.size(), 2u);
  EXPECT_EQ(input.layers[0].thumbs.made[1].shape(), (Shape{1, 6}));
  EXPECT_EQ(input.layers[0].thumbs.broadcast[1].shape(), (Shape{6, 6}));
  EXPECT_EQ(input.layers[0].thumbs.broadcast[1].at({5, 3}), 1);
  EXPECT_EQ(input.layers[0].thumbs.broadcast[1].at({0, 4}), 0);
  EXPECT_EQ(input.layers[1].thumbs.made.size(), 1u);
  EXPECT_EQ(input.layers[1].thumbs.broadcast.size(), 2u) << "the same for both sentences";
  const Figure figure = mask_shapes(input, 700, dark(), pitch);
  int matrices = 0;
  for (const Item& item : figure.items)
    if (const auto* cells = std::get_if<Cells>(&item)) {
      ++matrices;
      EXPECT_GE(cells->box.x, 0);
      EXPECT_LE(cells->box.x + cells->box.w, 700);
      EXPECT_LE(cells->box.y + cells->box.h, figure.height);
    }
  EXPECT_EQ(matrices, 2 + 2 + 1 + 2);
  ASSERT_EQ(figure.data.size(), 2u);
  EXPECT_EQ(figure.data[0].values.shape(), (Shape{2, 1, 1, 6}));
}

TEST(MaskShapes, LongMasksAreThinnedAndABlockMayAttendIfAnyOfItsCellsMay) {
  const std::int64_t n = 300;
  const MaskThumbs thumbs = mask_thumbs(causal(n).reshaped({1, 1, n, n}), {1, 1, n, n});
  const Tensor& small = thumbs.broadcast.at(0);
  EXPECT_LE(small.dim(0), 128);
  const std::int64_t step = (n + small.dim(0) - 1) / small.dim(0);
  for (std::int64_t r = 0; r < small.dim(0); ++r)
    for (std::int64_t c = 0; c < small.dim(1); ++c)
      EXPECT_EQ(small.at({r, c}), c * step <= std::min(n - 1, (r + 1) * step - 1) ? 1 : 0) << r << " " << c;
}

}  // namespace
}  // namespace headlight::figures
