// The pictures of a ledger: everything that is added to one token's vector as rows that add up, the grid of weight times value of
// one head, and one number of it written out. Functions from data to a Figure; screen and files use the same ones.
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
    bool part = false;          // coloured by the scale of parts, not by that of totals
    bool rule = false;          // a line above it
    std::string key;            // what it looked at most; empty: `instead` stands there
    int hue = -1;               // the key's
    double weight = 0;          // of the key
    std::string instead;        // "no other token", or that it is changed
    std::vector<float> vector;  // [dimension]
    double length = 0, cosine = 0, running = 0;
    double before = 0;  // the running length before it; the same as `running` where it is not counted
  };
  std::vector<Row> rows;
  std::int64_t first = 0, count = 0;  // the dimensions within the bracket
  float total_range = 1, part_range = 1;
  bool one_scale = false;  // total_range for all
  double start = 0;        // the length of E, marked in the column of running lengths
  std::string check;       // what adds up to what
  std::string difference;  // "max difference 1.2e-07"
  bool good = true;
  std::int64_t current = -1, hot = -1;  // rows
  float row_height = 32;
  std::string title;  // above, in files
  std::string note;
};
// `width` points wide. Rows are tagged {Tag::row, number}, strips are Cells {Tag::cell_area, row, 0}. data: "vectors" [row,
// dimension]; "length", "cosine with E", "running length" [row].
Figure ledger_table(const LedgerInput& input, float width, const Theme& theme, const TextMeasure& measure);
// The height that everything but the rows takes, and what a rule adds.
float ledger_frame_height(const LedgerInput& input);

struct WeightedGridInput {
  std::vector<std::string> queries, keys;               // of all columns and rows
  std::vector<std::int64_t> shown_queries, shown_keys;  // in order; keys that are not shown are one row together
  Tensor weights;                                       // f64 [queries, keys]
  Tensor mask;                                          // u8 [queries, keys]; empty: all may attend
  Tensor values;                                        // f64 [keys, count]
  Tensor by_distance;                                   // f64 [2 clip + 1, count], of which a row joins each value; empty: none
  std::int64_t clip = 0;
  Tensor sums, before;     // f64 [queries, count]
  bool changed = false;    // `sums` are what an intervention puts in place of the columns' sums
  std::int64_t first = 0;  // dimension of the model
  float part_range = 1, total_range = 1;
  std::int64_t current = -1;  // query
  std::int64_t hot_query = -1, hot_key = -1;
  std::int64_t dimension = -1;  // marked in the current column, counted from `first`
  float row_height = 34;
  std::string title, note;
  bool in_file = false;  // it has its data
};
// `width` points wide. Cells' numbers are tagged {Tag::cell, key, query}, column names {Tag::column, query}, row names {Tag::row,
// key}; strips are Cells {Tag::cell_area, key, 0} whose column is grid_place()'s. Those below the keys have the rows of GridRow.
// data: "weighted values" [query, key, dimension], "sum" [query, dimension].
Figure weighted_grid(const WeightedGridInput& input, float width, const Theme& theme, const TextMeasure& measure);
enum GridRow : std::int64_t { kOthers = 1 << 24, kSum, kDelta, kBefore, kBehind };
// The shown column and the dimension (-1: between two cells) of a strip's cell.
struct GridPlace {
  std::int64_t shown = 0, dimension = 0;
};
GridPlace grid_place(std::int64_t column, std::int64_t dimensions);
// How many columns, and how many rows of `height` points, fit.
struct GridRoom {
  std::int64_t columns = 0, rows = 0;
};
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
  double others = 0;  // what the keys add that have no row
  std::size_t other_keys = 0;
  double sum = 0;
};
Figure dimension_sum(const DimensionSumInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
