// The pictures of the view Why this word: the graph of routes, signed bars, and one head's map with a cell ringed. Functions from
// data to a Figure; screen and files use the same functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// Columns are tokens, rows the vectors after every layer: the embedding at the bottom, the asked vector at the top. Of a model
// that reads two texts the stack that writes stands above the one that reads.
struct RouteGraphInput {
  std::vector<std::string> labels;  // by column: of a model that reads two texts first those of the source
  std::int64_t sources = 0;         // the number of such columns; they have `source_levels` layers, the others `levels`
  std::int64_t levels = 0, source_levels = 0;
  struct Vector {
    std::int64_t column = 0, level = 0;
    bool goes_down = false;  // a line leads to the vector before this layer
    float kept = 0;          // that line's share, 0..1
    float effect = 0;        // of a picture by effect: -1 takes away, 1 brings back
  };
  struct Edge {
    std::int64_t from_column = 0, from_level = 0, to_column = 0, to_level = 0;
    float share = 0;   // its width
    float effect = 0;  // as of a vector
  };
  std::vector<Vector> vectors;  // the asked one first
  std::vector<Edge> edges;
  std::int64_t hot_edge = -1, chosen_edge = -1;      // indices of `edges`
  std::int64_t hot_vector = -1, chosen_vector = -1;  // indices of `vectors`
  std::int64_t shown_level = -1;  // only what is at or below this level is drawn, the source's first; -1: everything
  bool by_effect = false;         // effects are the colours, with a scale above
  bool verticals = true;          // the lines from layer to layer of one token
  std::string answer;             // stands above the asked vector; empty: nothing does
  std::string title;              // in files
};
// `width` by `height` points. Tags {Tag::link, edge} and {Tag::token, vector}. data: "edges" [edge, 5]: the columns and levels of
// both ends, and the share; by effect also
// "effects" [edge].
// route_graph(input, 720, 560, theme, measure)
Figure route_graph(const RouteGraphInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// A line a row: a name, a bar from the middle to the right or to the left, a number; where there is a second value, a thin bar
// below the first.
struct SignedBarsInput {
  struct Row {
    std::string name;
    double value = 0;
    bool has_second = false;
    double second = 0;
    std::string number;  // what stands at the right; empty: the value
  };
  std::vector<Row> rows;
  bool only_positive = false;  // bars begin at the left
  std::int64_t hot = -1, chosen = -1;
  std::string title, quiet;   // stand above; empty: nothing does
  std::string second_title;   // names the thin bars below
  bool last_is_rest = false;  // the last row is what the others leave of a sum; its tag is {Tag::row, -1}
  float row_height = 24;
  bool mono = true;  // names are tokens
};
// The first `count` rows; a last row that is the rest stays the last one, and takes up what is left out.
SignedBarsInput with_rows(const SignedBarsInput& input, std::size_t count);
// Tags {Tag::row, index}. data: "values" [row], and "second" where there is one.
// signed_bars(input, 300, theme, measure) is as high as its rows.
Figure signed_bars(const SignedBarsInput& input, float width, const Theme& theme, const TextMeasure& measure);

// Heads as dots, a column for each layer, joined where a later head reads what an earlier one writes.
struct CompositionInput {
  std::int64_t layers = 0, heads = 0;  // heads: the most of a layer
  struct Line {
    std::int64_t from_layer = 0, from_head = 0, to_layer = 0, to_head = 0;
    double strength = 0;
  };
  std::vector<Line> lines;  // the strongest first; a line is as wide as its strength above `chance`
  double chance = 0;
  std::int64_t hot = -1;
  std::string title;  // in files
};
// Tags {Tag::link, line}. data: "lines" [line, 5]: layer and head of both, and the strength.
// composition_graph(input, 700, 500, theme, measure)
Figure composition_graph(const CompositionInput& input, float width, float height, const Theme& theme,
                         const TextMeasure& measure);

// A small map of one head with one cell ringed.
struct RingedMapInput {
  std::vector<std::string> rows, columns;
  Tensor weights, mask;  // f32 and u8 [rows, columns]; the mask may be empty
  std::int64_t row = 0, column = 0;
  std::string colormap = "viridis";
  std::uint64_t key = 0;  // as of Cells
  std::string title;      // in files
};
// Rows are queries, columns keys; the ringed cell's number stands beside it. data: "weights" [query, key].
// ringed_map(input, 340, 260, theme, measure)
Figure ringed_map(const RingedMapInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
