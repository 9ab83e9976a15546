// The layouts: functions from data to a Figure. They draw nothing and keep no state; screen and files use the same functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/text/language.h"
#include "engine/core/tensor.h"

namespace headlight::figures {

// How large the cells are. limited: as large as is good to read; square: as large as the box allows, as high as wide where both
// axes are tokens; box: they fill it in both directions.
enum class CellFit { limited, square, box };

// A matrix between two rows of tokens (or dimensions), for any picture of its cells.
struct MatrixInput {
  Tensor mask;                                         // u8 [rows, columns] or empty; 0: may not attend, hatched
  std::vector<std::string> row_labels, column_labels;  // if their number is not the matrix's: numbers are used
  std::vector<int> row_hues, column_hues;              // per label, index into Theme::hues; empty: plain
  std::string row_axis = tr("query (attends)");        // as read in the picture
  std::string column_axis = tr("key (is attended to)");
  std::string row_name = "query", column_name = "key";  // of the axes in the data
  std::string data_name = "weights";
  std::string title;        // of the picture, e.g. "layer 4, head 11"
  int title_hue = -1;       // hue of the picture's head, marked before the title; -1: none
  std::string range_words;  // "weight, fixed 0..1, viridis"
  std::string note;         // below the picture, e.g. "random weights, seed 0"
  std::uint64_t key = 0;
  Reduction reduction = Reduction::max;  // how cells smaller than a pixel are combined
  bool legend = true;                    // false: the window draws one legend for several pictures
  float most_cell = 88;                  // height of a cell between two tokens, in points; larger where large cells are wanted
  float most_width = 0;                  // its width; 0: somewhat more than most_cell
  float grain = 1;                       // sides of cells are whole multiples of it, so that they are aligned with pixels
  // names_rows: false beside another picture that names the same rows. lean: room to the right into which rotated column labels
  // may extend.
  bool names_rows = true;
  float lean = 0;
  CellFit fit = CellFit::limited;
  float cell_side = 0;         // the cells are exactly as wide and high, in points; 0: as `fit` says
  bool small_numbers = false;  // numbers are also written into small cells, in small type
  std::string quantity;        // what one number is, in words: "weight"
  // On the screen: the hovered or pinned row and column (-1: none), and the shown part of a large matrix (a count of 0: the whole
  // matrix).
  std::int64_t hot_row = -1, hot_column = -1;
  std::int64_t first_row = 0, row_count = 0, first_column = 0, column_count = 0;
};

// One matrix with named axes, tokens as tick labels, numbers in large cells, a colour bar with its range in words.
struct HeatmapInput : MatrixInput {
  Tensor values;   // f32 [rows, columns]: determines the colours of the cells
  Tensor numbers;  // f32, of the same shape: written into the cells; empty: the values
  std::string colormap = "viridis";
  float low = 0, high = 1;
  std::string low_words, high_words;  // at the ends of the colour bar; empty: the numbers there
  // Several heads in one picture: i32 [rows, columns], which of `heads` each value comes from; the cell is marked with its hue.
  Tensor strongest;
  struct Head {
    std::string name;
    int hue = 0;
  };
  std::vector<Head> heads;
};
struct Legend;
Legend legend_of(const HeatmapInput& input);  // the legend below it
// Fits into `box_width` x `box_height`; between few tokens cells may be wider than high, so that all
// labels have room; between many they are square.
Figure heatmap(const HeatmapInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure);

// One head in a picture of several: its weights, and how large their marks are on a scale 0..1 (-1..1 for signed values).
struct HeadMatrix {
  std::string name;  // "3.5": layer 3, head 5
  int hue = 0;       // index into Theme::hues
  Tensor values;     // f32 [rows, columns]
  Tensor shares;     // f32, of the same shape; the largest mark is 1
};

// The slides' grid of dots: a disc in each cell, whose area is its share of the largest possible disc. Several heads are drawn
// over each other, each in its hue; negative values have their own colour. Masked cells are hatched; a weight of zero is an empty
// cell.
struct DotsInput : MatrixInput {
  std::vector<HeadMatrix> heads;
  bool is_signed = false;                                   // coloured by sign instead of by head
  std::vector<std::pair<float, std::string>> legend_discs;  // shares and the texts beside them, e.g. {1, "1"}
};
Legend legend_of(const DotsInput& input, const Theme& theme, float cell);  // `cell`: a cell's side in points
Figure dots(const DotsInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure);

// Weights as arcs from a column of queries to a column of keys (or the other way), in each head's hue; width and opacity grow
// with the weight. choose_arcs() chooses the arcs.
struct Arc {
  std::int64_t row = 0, column = 0;
  float weight = 0;  // the weight itself
  float share = 0;   // how it is drawn, 0..1
};
struct ArcSet {
  std::vector<Arc> arcs;  // the weakest first, so that the strongest are drawn on top
  double held = 0;        // their share of the total weight, 0..1
};
// Takes the strongest cells of each row until they hold `share` (0..1) of the row's weight, never masked cells or zeros. If those
// are more than `most`, only the strongest `most` are taken. share 0: the largest of 100, 95, 90, 80, 70, 50, 30 % that gives no
// more than `most` arcs, else the strongest `most`. `rows_are_queries`: false if the rows of the matrix are keys.
ArcSet choose_arcs(const HeadMatrix& head, const Tensor& mask, double share, std::int64_t most, bool rows_are_queries = true);

struct ArcsInput : MatrixInput {
  struct Head {
    HeadMatrix matrix;
    ArcSet arcs;
  };
  std::vector<Head> heads;
  // If there is a hot_row or hot_column and `isolate` is true: only all arcs of that token, with their weights as numbers.
  bool isolate = true;
  float most_span = 460;  // from one column to the other, in points
};
// The width in points and the opacity of an arc, by its share.
float arc_width(float share);
float arc_opacity(float share);
Legend legend_of(const ArcsInput& input);
Figure arcs(const ArcsInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure);

// One query and its keys, dimension by dimension: q, k, their products, the sum, and the weight after the softmax.
struct NeuronInput {
  std::string query_label;
  Tensor query;  // f32 [d]
  struct Key {
    std::int64_t number = 0;  // its position in the sentence
    std::string label;
    bool visible = true;  // may be attended to
    double score = 0, scaled = 0, weight = 0;
  };
  std::vector<Key> rows;   // shown, in order
  Tensor keys;             // f32 [rows, d]
  std::int64_t total = 0;  // number of all keys
  double held = 1;         // share of the weight that the shown keys hold
  int hue = 0;             // of the head
  bool additive = false;   // `query` is v and `keys` are tanh(q + k) of an additive score
  std::string title, note;
  std::int64_t hot_key = -1;  // a number
  std::uint64_t key = 0;
};
Figure neuron(const NeuronInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure);
std::int64_t neuron_rows(float box_height, const TextMeasure& measure, bool titled = true);  // number of keys that fit

// All heads of all layers as thumbnails: rows are layers, columns are heads; or in another order, each with its name.
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
  bool bare = false;  // thumbnails and numbers only, because the window has its own title and colour bar
  // If sorted or filtered: the shown heads, as layer * heads + head, in this order; above each its name and the number it is
  // sorted by. Empty: all heads in the model's order.
  std::vector<std::int64_t> order;
  std::vector<std::string> names, marks;             // per head, if there is an order: "3.5", ".41"
  bool ordered = false;                              // `order` is used, even if it is empty
  std::vector<std::uint8_t> faint;                   // per head: does not match the search
  std::vector<std::pair<std::int64_t, int>> chosen;  // heads shown together, with their hues
  // Per head, or empty: below a head with a role a bar as long as its score 0..1, and the role's name where all names fit.
  struct Role {
    int hue = 0;
    double score = 0;
    std::string name;
  };
  std::vector<std::optional<Role>> roles;
  std::string data_name = "weights";
  float most_slot = 168;              // side of a thumbnail and its gap, in points
  std::string low_words, high_words;  // at the ends of the colour bar; empty: the numbers there
  std::string quantity;               // as in MatrixInput
};
Figure head_grid(const GridInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
