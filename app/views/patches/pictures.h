// The pictures of the Patches view: a picture under a grid with numbers as heat, many small pictures beside each other, and the
// way of one patch from its pixels to its token.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct PatchPictureInput {
  Photo photo;                         // the whole picture; the layout sets photo.box
  float width = 1, height = 1;         // size of the picture, in pixels
  std::int64_t side = 1;               // side of a patch, in pixels
  std::int64_t rows = 0, columns = 0;  // numbers of patches; pixels beyond them, at the right and at the bottom, are faded
  Tensor heat;                         // f32 [rows, columns] of cells of `region` x `region` patches; empty: the bare picture
  std::int64_t region = 1;             // side of a cell of `heat`, in patches
  float low = 0, high = 1;             // values at the ends of the colour map
  std::string colormap = "viridis";
  std::int64_t query = -1, hot = -1, pinned = -1;  // indices of patches; -1: none
  std::int64_t hot_region = -1;                    // index of a cell of `heat`; -1: none
  bool numbers = true;                             // numbers of rows and columns stand along the sides
  bool legend = true;
  std::string title, quantity, note;  // quantity: the name of a number of `heat`; note: "random weights, seed 0"
  std::string data_name = "weights";
};
// The picture fits into `width` x `height` points, and the figure is cut to the picture and its legend. Tags: a patch is
// {Tag::cell, row, column}. data: the heat. patch_picture(input, 480, 400, theme, measure) shows input.photo under the grid.
Figure patch_picture(const PatchPictureInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
// Its height in points where its width alone bounds it.
float patch_picture_height(const PatchPictureInput& input, float width);

struct PatchTilesInput {
  PatchPictureInput picture;  // the settings that all tiles share
  struct Tile {
    std::string label;
    Tensor heat;
  };
  std::vector<Tile> tiles;
  std::int64_t selected = -1, hot = -1;
  float least_tile = 96, most_tile = 190;  // width of a tile, in points
  std::int64_t in_row = 0;                 // tiles in a row; 0: as many as have room
  bool tokens = false;                     // the labels are tokens
  std::string title;
};
// `width` points wide, as high as its rows of tiles. Tags: a tile is {Tag::link, its index}. data: one array [tile, row, column].
// patch_tiles(input, 900, theme, measure) shows one tile for each of input.tiles.
Figure patch_tiles(const PatchTilesInput& input, float width, const Theme& theme, const TextMeasure& measure);
// Its height in points. patch_tiles_height(input, 900)
float patch_tiles_height(const PatchTilesInput& input, float width);
// Makes the tiles as large as all of them can be in `width` x `height` points, up to `most` points wide each. None is narrower
// than 56 points.
void fit_patch_tiles(PatchTilesInput& input, float width, float height, float most);

// Rows in the tags of patch_to_token(): from kPixelTag on the numbers of the pixel vector, and a row for each of the three
// strips.
inline constexpr std::int64_t kPixelTag = 1 << 26, kTokenTag = 1 << 27, kPositionTag = kTokenTag + 1, kInputTag = kTokenTag + 2;
struct PatchTokenInput {
  Photo patch;      // the patch's pixels, enlarged
  Tensor pixels;    // f32 [P*P*3, 1], from -1 to 1
  Tensor matrix;    // f32 [P*P*3, d]
  Tensor token;     // f32 [1, d]
  Tensor position;  // f32 [1, d]; empty: no positions
  Tensor input;     // f32 [1, d]: token + position
  std::int64_t side = 1;
  std::int64_t hot = -1;                 // the dimension that is written out
  std::uint64_t key = 0;                 // unique for these numbers, and so are the next four keys
  std::string title, note, patch_words;  // patch_words: "patch (5, 8), 16 x 16 pixels"
};
// Exactly `width` x `height` points. Cells are tagged {Tag::cell_area}: rows from kPixelTag on are numbers of the pixel vector,
// the rows kTokenTag, kPositionTag and kInputTag are the strips, and all other rows are those of the matrix; columns are
// dimensions. data: pixels, w_e, token, position, input. patch_to_token(input, 900, 480, theme, measure) shows input.patch and
// its token.
Figure patch_to_token(const PatchTokenInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
