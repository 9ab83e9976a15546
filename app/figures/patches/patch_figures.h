// The pictures of the Patches view: a picture under a grid with numbers over it as heat, many small ones beside each other, and
// the way of one patch from its pixels to its token.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct PatchPictureInput {
  Photo photo;                         // of the whole picture; its box is chosen here
  float width = 1, height = 1;         // of the picture in pixels
  std::int64_t side = 1;               // of a patch in pixels
  std::int64_t rows = 0, columns = 0;  // of patches; what lies beyond them, at the right and at the bottom, is left out and faded
  Tensor heat;                         // f32 [rows, columns] of the cells below; empty: the bare picture
  std::int64_t region = 1;             // patches a side of a cell of `heat`
  float low = 0, high = 1;             // values at the ends of the colour map
  std::string colormap = "viridis";
  std::int64_t query = -1, hot = -1, pinned = -1;  // patches; -1: none
  std::int64_t hot_region = -1;                    // a cell of `heat`; -1: none
  bool numbers = true;                             // of rows and columns along the sides
  bool legend = true;
  std::string title, quantity, note;  // quantity: what the heat is; note: "random weights, seed 0"
  std::string data_name = "weights";
};
// Fits into width x height, and is as large as the picture, or its legend, then is. Tags: a patch is {Tag::cell, row, column}.
// data: the heat.
Figure patch_picture(const PatchPictureInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

struct PatchTilesInput {
  PatchPictureInput picture;  // what all tiles share
  struct Tile {
    std::string label;
    Tensor heat;
  };
  std::vector<Tile> tiles;
  std::int64_t selected = -1, hot = -1;
  float least_tile = 96, most_tile = 190;  // width of one
  std::int64_t in_row = 0;                 // tiles in a row; 0: as many as there is room for
  bool tokens = false;                     // the labels are tokens
  std::string title;
};
// `width` points wide, as high as its rows of tiles. Tags: a tile is {Tag::link, its number}. data: one array [tile, row,
// column].
Figure patch_tiles(const PatchTilesInput& input, float width, const Theme& theme, const TextMeasure& measure);
// The width of a tile where `in_row` of them fill `width`, and how far apart rows of tiles that wide are, in points.
float patch_tile_width(std::size_t in_row, float width);
float patch_tile_pitch(const PatchTilesInput& input, float tile);

// Rows of the tags below: the pixel vector, the matrix's first row, and the three strips.
inline constexpr std::int64_t kPixelTag = 1 << 26, kTokenTag = 1 << 27, kPositionTag = kTokenTag + 1, kInputTag = kTokenTag + 2;
struct PatchTokenInput {
  Photo patch;      // its pixels, enlarged
  Tensor pixels;    // f32 [P*P*3, 1], from -1 to 1
  Tensor matrix;    // f32 [P*P*3, d]
  Tensor token;     // f32 [1, d]
  Tensor position;  // f32 [1, d]; empty: no positions
  Tensor input;     // f32 [1, d]: their sum
  std::int64_t side = 1;
  std::int64_t hot = -1;                 // the dimension that is written out
  std::uint64_t key = 0;                 // and the next four
  std::string title, note, patch_words;  // patch_words: "patch (5, 8), 16 x 16 pixels"
};
// Exactly width x height. Tags: cells {Tag::cell_area}: rows from kPixelTag are numbers of the pixel vector, kTokenTag,
// kPositionTag and kInputTag are the strips, others rows of the matrix; columns are dimensions. data: pixels, w_e, token,
// position, input.
Figure patch_to_token(const PatchTokenInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
