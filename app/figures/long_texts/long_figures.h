// The pictures of the Long texts view: every method as a tile, who shares a device or a bucket, and cost against length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// The hue of a group of methods: exact ones quiet, sparse ones blue, those of low rank violet, recurrent layers green.
Color method_group_color(int group, const Theme& theme);

struct LongTile {
  std::string label;
  int group = 0;    // 0: exact, 1: sparse, 2: low rank
  Tensor weights;   // f32 [L, L]; empty: not there yet, or refused
  Tensor shades;    // f32 [L, L]: what colours the cells
  Tensor computed;  // u8 [L, L], 1: the method computes this cell; empty: every cell is coloured
  std::uint64_t key = 0;
  float high = 1;            // the shade that has the map's last colour
  bool formed = true;        // false: no weight is ever formed, and the picture has a dashed border
  std::int64_t devices = 0;  // above 0: drawn as the steps of a ring of so many devices
  std::string cells, apart;  // "19.3 %", ".462"
  bool exact = false;        // the output is full attention's within rounding: `apart` is drawn as checked
  std::string refused;       // why the method has no picture: a word; empty: it has one or is being computed
};
struct LongTilesInput {
  std::vector<LongTile> tiles;      // those of a group stand together
  std::vector<std::string> groups;  // by LongTile::group: "exact: every cell, the same output"
  std::int64_t selected = -1, hot = -1;
  float map = 80;  // side of a picture, at most
  std::string colormap = "viridis";
  std::string title;  // of the picture in a file
};
// `width` points wide, as high as its rows of tiles. Tags: a tile is {Tag::link, its number}. data: the weights of every tile
// that has them, under its label.
Figure long_tiles(const LongTilesInput& input, float width, const Theme& theme, const TextMeasure& measure);

// Who holds the queries of each part and whose keys come at which step: row = device with its queries, column = block of keys,
// the number is the step at which they meet; those of `step` are lit. `side` points high and wide at most. Tags: {Tag::cell, row,
// column}. data: "step" [device, block].
Figure ring_steps(std::int64_t devices, std::int64_t step, float side, const Theme& theme, const TextMeasure& measure);

struct PartRow {
  std::string name;                  // "bucket 2", "device 0"
  int hue = -1;                      // of its mark
  std::vector<std::string> members;  // "queries ·the ·a", one piece each
};
// A line a part: its name and its members, as many as fit, then how many more. Only whole lines within `height`; the last says
// how many parts are left out.
Figure part_rows(const std::vector<PartRow>& rows, float width, float height, const Theme& theme, const TextMeasure& measure);

struct LongCostsInput {
  enum class Of { operations, bytes, seconds };
  struct Line {
    std::string id, label;
    int group = 0;          // as a tile's; 3: a recurrent layer, which has no tile
    std::vector<double> y;  // one per length; NaN: not known yet
    double exponent = 0;    // of the length; NaN: not fitted
    bool selected = false;
  };
  std::vector<double> lengths;  // tokens, ascending
  std::vector<Line> lines;
  struct Guide {
    std::string label;  // "L² d"
    std::vector<double> y;
  };
  std::vector<Guide> guides;  // dashed
  Of of = Of::operations;     // what y is
  double tokens = 0;          // the text's own length; 0: none
  double crossing = 0;        // from which length on the selected line lies below the first one; 0: nowhere
  std::string title, note, x_axis, y_axis, here, crossing_words;
};
// Both axes logarithmic; each line's name and exponent stand at its end. Exactly width x height points. Tags: a name is
// {Tag::link, its line}. data: one array [method, length].
Figure long_costs(const LongCostsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// The table of the lecture about speech: phoneme error rate and seconds an epoch of four models (Katharopoulos et al. 2020, table
// 3). As high as its lines.
Figure speech_table(float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
