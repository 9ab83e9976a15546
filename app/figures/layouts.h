// The layouts: data in, Figure out. No drawing, no state; the same function serves screen and files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/figure.h"
#include "app/figures/theme.h"
#include "app/text/language.h"
#include "engine/core/tensor.h"

namespace headlight::figures {

// One matrix with named axes, tokens as tick labels, numbers in large cells, a colour bar with its range in words.
struct HeatmapInput {
  Tensor values;  // f32 [rows, columns]
  Tensor mask;    // u8 [rows, columns] or empty
  std::vector<std::string> row_labels, column_labels;
  std::vector<int> row_hues, column_hues;  // per label, index into Theme::hues; empty: plain
  std::string row_axis = tr("query (attends)");
  std::string column_axis = tr("key (is attended to)");
  std::string title;  // "layer 4, head 11"
  std::string colormap = "viridis";
  float low = 0, high = 1;
  std::string range_words;  // "weight, fixed 0..1, viridis"
  std::string note;         // below, e.g. "random weights, seed 0"
  std::uint64_t key = 0;
  // On the screen: what is hovered or pinned (-1: none), and the window into a large matrix (whole matrix if count is 0).
  std::int64_t hot_row = -1, hot_column = -1;
  std::int64_t first_row = 0, row_count = 0, first_column = 0, column_count = 0;
};
// Fits into `box_width` x `box_height` (cells stay square where both axes have tokens).
Figure heatmap(const HeatmapInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure);

// All heads of all layers as thumbnails: rows = layers, columns = heads.
struct GridInput {
  std::int64_t layers = 0, heads = 0;
  std::int64_t first_layer = 0;  // the number of the first row
  std::vector<Tensor> values;    // layers * heads, f32 [queries, keys]
  std::vector<Tensor> masks;     // same count or empty
  std::vector<std::uint64_t> keys;
  std::string title;
  std::string colormap = "viridis";
  float low = 0, high = 1;
  std::string range_words, note;
  std::string row_axis = tr("layer"), column_axis = tr("head");
  std::string cell_words;  // "in each picture: row = query, column = key"
  std::int64_t selected_layer = -1, selected_head = -1;
  std::int64_t hot_layer = -1, hot_head = -1;
  bool bare = false;  // thumbnails and numbers only (the window has its own title and colour bar)
};
Figure head_grid(const GridInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
