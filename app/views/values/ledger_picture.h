// The pictures of a ledger: all vectors that are added to one token's vector as rows that add up, the grid of weight times value
// of one head, and one number of this grid written out. Functions from data to a Figure; screen and files use the same functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct LedgerInput {
  struct Row {
    std::string sign;           // "+", "Σ", "="; empty: a first total
    std::string name;           // "ΔE head 3"
    bool total = false;         // bold
    bool part = false;          // coloured by the scale of parts; false: by the scale of totals
    bool rule = false;          // a line is drawn above the row
    std::string key;            // the token that the head attended to most; empty: `instead` stands there
    int hue = -1;               // hue of the key
    double weight = 0;          // weight of the key
    std::string instead;        // "no other token", or words for an intervention
    std::vector<float> vector;  // [dimension]
    double length = 0, cosine = 0, running = 0;
    double before = 0;  // the running length before this row; equal to `running` if the row is not counted
  };
  std::vector<Row> rows;
  std::int64_t first = 0, count = 0;  // the dimensions within the bracket
  float total_range = 1, part_range = 1;
  bool one_scale = false;  // total_range applies to all rows
  double start = 0;        // the length of E, marked in the column of running lengths
  std::string check;       // words for the sum that was checked
  std::string difference;  // "max difference 1.2e-07"
  bool good = true;
  std::int64_t current = -1, hot = -1;  // indices of rows; -1: none
  float row_height = 32;
  std::string title;  // stands above, in files
  std::string note;
};
// `width` points wide. Rows are tagged {Tag::row, index}, strips are Cells {Tag::cell_area, row, 0}. data: "vectors" [row,
// dimension]; "length", "cosine with E", "running length" [row].
// ledger_table(input, 900, theme, measure) shows input.rows below each other.
Figure ledger_table(const LedgerInput& input, float width, const Theme& theme, const TextMeasure& measure);
// The height of the table without its rows, in points; the rules between rows are included.
float ledger_frame_height(const LedgerInput& input);

struct WeightedGridInput {
  std::vector<std::string> queries, keys;               // labels of all rows and columns
  std::string query_axis, key_axis;                     // what rows and columns are
  std::vector<std::int64_t> shown_queries, shown_keys;  // in order; one column adds up the keys that are not shown
  Tensor weights;                                       // f64 [queries, keys]
  Tensor mask;                                          // u8 [queries, keys]; empty: all may attend
  Tensor values;                                        // f64 [keys, count]
  Tensor by_distance;                                   // f64 [2 clip + 1, count]: each value has a row of it added; empty: none
  std::int64_t clip = 0;                                // the largest distance with a row of its own
  Tensor sums, before;                                  // f64 [queries, count]
  bool changed = false;                                 // an intervention replaced the rows' sums by `sums`
  std::int64_t first = 0;                               // dimension of the model
  float part_range = 1, total_range = 1;
  std::int64_t current = -1;  // index of the current query; -1: none
  std::int64_t hot_query = -1, hot_key = -1;
  std::int64_t dimension = -1;  // the dimension marked in the current row, counted from `first`; -1: none
  float row_height = 34;
  std::string title, note;
  bool in_file = false;  // the figure contains its data
};
// `width` points wide. Cells' numbers are tagged {Tag::cell, key, query}, row names {Tag::row, query}, column names {Tag::column,
// key}. A query's strips are Cells {Tag::cell_area, query, 0}, in which grid_place() finds the column; those of its sums are
// {Tag::cell_area, GridColumn + query, 0}. data: "weighted values" [query, key, dimension], "sum" [query, dimension].
// weighted_grid(input, 900, theme, measure) shows input.shown_queries as rows.
Figure weighted_grid(const WeightedGridInput& input, float width, const Theme& theme, const TextMeasure& measure);
enum GridColumn : std::int64_t { kSum = 1 << 24, kDelta = 2 << 24, kBefore = 3 << 24, kBehind = 4 << 24 };
// A place in a query's strips: the shown column, behind those of keys that of all the others, and the dimension (-1: between two
// columns).
struct GridPlace {
  std::int64_t shown = 0, dimension = 0;
};
// The place of a strip's cell, by the cell's column. With 4 dimensions, grid_place(6, 4) gives {1, 1} and grid_place(4, 4) {0,
// -1}.
GridPlace grid_place(std::int64_t column, std::int64_t dimensions);
// The height of the grid without its rows, in points.
float grid_frame_height(const WeightedGridInput& input, float width, const TextMeasure& measure);
// The number of columns for keys, and of rows, that fit into `width` x `height` points: at least 2 and 3.
struct GridRoom {
  std::int64_t columns = 0, rows = 0;
};
// grid_room(input, 900, 480, measure).rows is the number of queries to show.
GridRoom grid_room(const WeightedGridInput& input, float width, float height, const TextMeasure& measure);

// One number of a head's row: weight times value, key by key.
struct DimensionSumInput {
  struct Row {
    std::string label;
    int hue = -1;
    double weight = 0, value = 0;
  };
  std::string title;  // "Dimension 55 of creature"
  std::vector<std::string> words;
  std::vector<Row> rows;
  double others = 0;  // the sum of the keys without a row
  std::size_t other_keys = 0;
  double sum = 0;
};
// dimension_sum(input, 480, theme, measure) is 480 points wide, with a line for each of input.rows.
Figure dimension_sum(const DimensionSumInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
