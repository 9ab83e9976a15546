// The pictures of the Long texts view: every method as a tile, the tokens that share a device or a bucket, and cost against
// length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// The colour of a group of methods: exact methods are grey, sparse ones blue, those of low rank violet, recurrent layers green.
// method_group_color(1, theme) gives theme.info, for sparse methods.
Color method_group_color(int group, const Theme& theme);

struct LongTile {
  std::string label;
  int group = 0;    // 0: exact, 1: sparse, 2: low rank
  Tensor weights;   // f32 [L, L]; empty: not computed yet, or refused
  Tensor shades;    // f32 [L, L]: the values that colour the cells
  Tensor computed;  // u8 [L, L], 1: the method computes this cell; empty: every cell is coloured
  std::uint64_t key = 0;
  float high = 1;            // the shade that has the map's last colour
  bool formed = true;        // false: the method never forms a weight, and the picture has a dashed border
  std::int64_t devices = 0;  // above 0: the tile shows the steps of a ring of this many devices
  std::string cells, apart;  // share of computed cells, "19.3 %"; largest difference from full attention's output, ".462"
  bool exact = false;        // the output is full attention's within rounding: `apart` is drawn as checked
  std::string refused;       // a word for why the method has no picture; empty: it has a picture, or will have one
};
struct LongTilesInput {
  std::vector<LongTile> tiles;      // tiles of a group stand together
  std::vector<std::string> groups;  // by LongTile::group: "exact: every cell, the same output"
  std::int64_t selected = -1, hot = -1;
  float map = 80;  // the most side of a tile's picture, in points
  std::string colormap = "viridis";
  std::string title;  // the picture's title in a file
};
// `width` points wide, as high as its rows of tiles. Tags: a tile is {Tag::link, its index}. data: the weights of every tile that
// has weights, under the tile's label. long_tiles(input, 900, theme, measure) shows one tile for each of input.tiles.
Figure long_tiles(const LongTilesInput& input, float width, const Theme& theme, const TextMeasure& measure);

// The steps of a ring: a row is a device with its queries, a column a block of keys, and the number is the step at which both
// meet. Cells of `step` are lit. `side` points wide and high, but not less than 60. Tags: {Tag::cell, row, column}. data: "step"
// [device, block]. ring_steps(4, 0, 240, theme, measure) shows 4 x 4 cells with those of step 0 lit.
Figure ring_steps(std::int64_t devices, std::int64_t step, float side, const Theme& theme, const TextMeasure& measure);

struct PartRow {
  std::string name;                  // "bucket 2", "device 0"
  int hue = -1;                      // hue of the row's mark; -1: no mark
  std::vector<std::string> members;  // "queries ·the ·a", one piece each
};
// A line for each part: its name, as many members as fit, and the number of the other members. Only whole lines within `height`
// are drawn; the last line counts the parts that are left out.
// part_rows(rows, 480, 200, theme, measure) is 480 points wide and at most 200 high.
Figure part_rows(const std::vector<PartRow>& rows, float width, float height, const Theme& theme, const TextMeasure& measure);

struct LongCostsInput {
  enum class Of { operations, bytes, seconds };
  struct Line {
    std::string id, label;
    int group = 0;          // as in LongTile; 3: a recurrent layer, which has no tile
    std::vector<double> y;  // one per length; NaN: not known yet
    double exponent = 0;    // fitted power of the length with which y grows; NaN: not fitted
    bool selected = false;
  };
  std::vector<double> lengths;  // tokens, ascending
  std::vector<Line> lines;
  struct Guide {
    std::string label;  // "L² d"
    std::vector<double> y;
  };
  std::vector<Guide> guides;  // dashed
  Of of = Of::operations;     // the quantity on the y axis
  double tokens = 0;          // the text's own length; 0: none
  double crossing = 0;        // the length from which on the selected line lies below the first line; 0: there is no such length
  std::string title, note, x_axis, y_axis, here, crossing_words;
};
// Both axes are logarithmic; each line's name and exponent stand at its end. Exactly `width` x `height` points. Tags: a name is
// {Tag::link, index of its line}. data: one array [method, length].
// long_costs(input, 640, 400, theme, measure) draws input.lines over input.lengths.
Figure long_costs(const LongCostsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// The table of the lecture about speech: phoneme error rate and seconds per epoch of four models (Katharopoulos et al. 2020,
// table 3). speech_table(480, theme, measure) is 480 points wide, as high as its lines.
Figure speech_table(float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
