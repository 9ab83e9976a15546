// The layouts of matrices and heads: functions from data to a Figure. A layout draws nothing and keeps no state; screen and files
// use the same functions. All sizes are in points, and each figure fits into `box_width` x `box_height`; only a grid in another
// order may be higher.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/axis_labels.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/non_finite.h"
#include "app/figures/base/theme.h"
#include "app/text/language.h"
#include "engine/core/tensor.h"

namespace headlight::figures {

// How large the cells are. limited: at most a size that is good to read; square: as large as the box allows, and as high as wide
// where both axes are tokens; box: the cells fill the box in both directions.
enum class CellFit { limited, square, box };

// A matrix between two rows of tokens (or dimensions), for any picture of its cells.
struct MatrixInput {
  Tensor mask;                                         // u8 [rows, columns] or empty; 0: may not attend, hatched
  std::vector<std::string> row_labels, column_labels;  // one for each row and column; else numbers are used
  std::vector<int> row_hues, column_hues;              // per label, index into Theme::hues; empty: plain
  std::string row_axis = tr("query (attends)");        // the axes' names in the picture
  std::string column_axis = tr("key (is attended to)");
  std::string row_name = "query", column_name = "key";  // the axes' names in the data
  std::string data_name = "weights";
  std::string title;        // of the picture, e.g. "layer 4, head 11"
  int title_hue = -1;       // hue of the picture's head, marked before the title; -1: none
  std::string range_words;  // "weight, fixed 0..1, viridis"
  std::string note;         // below the picture, e.g. "random weights, seed 0"
  std::uint64_t key = 0;
  Reduction reduction = Reduction::max;  // how cells smaller than a pixel are combined
  bool legend = true;                    // false: the window draws one legend for several pictures
  float most_cell = 88;                  // the most height of a cell between two tokens, in points, for CellFit::limited
  float most_width = 0;                  // the most width of such a cell, in points; 0: somewhat more than most_cell
  float grain = 1;                       // sides of cells are whole multiples of `grain`, so that cells are aligned with pixels
  // names_rows: false beside another picture that names the same rows. lean: room to the right into which rotated column labels
  // may extend, in points.
  bool names_rows = true;
  float lean = 0;
  CellFit fit = CellFit::limited;
  float cell_side = 0;         // the exact width and height of a cell, in points; 0: `fit` decides
  bool small_numbers = false;  // numbers are also written into small cells, in small type
  float least_number = 26;     // the least height of a cell with a number, in points, if they are not
  std::string quantity;        // the name of one number: "weight"
  // The cells without a finite number, for the legend; none: the layout counts them, which takes long in a large matrix.
  std::optional<NonFiniteCount> non_finite;
  std::string masked_words;           // as in Legend
  float least_label = kLeastInFiles;  // of a file: the least size of a label, in points
  std::string all_labels;             // "--height 120mm shows all": what is said where labels are left out
  // On the screen: the hovered or pinned row and column (-1: none), and the shown part of a large matrix (a count of 0: the whole
  // matrix).
  std::int64_t hot_row = -1, hot_column = -1;
  std::int64_t first_row = 0, row_count = 0, first_column = 0, column_count = 0;
};

// One matrix with named axes, tokens as tick labels, numbers in large cells, a colour bar with its range in words.
struct HeatmapInput : MatrixInput {
  Tensor values;    // f32 [rows, columns]: determines the colours of the cells
  Tensor numbers;   // f32 or f64, of the same shape: written into the cells; empty: the values
  double unit = 1;  // for numbers beyond the range of f32: the values times `unit` are the numbers
  std::string colormap = "viridis";
  float low = 0, high = 1;
  std::string low_words, high_words;  // words at the ends of the colour bar; empty: the numbers `low` and `high`
  // For several heads in one picture: i32 [rows, columns], the index in `heads` of the head that each value comes from; the cell
  // is marked with this head's hue.
  Tensor strongest;
  struct Head {
    std::string name;
    int hue = 0;
  };
  std::vector<Head> heads;
};
struct Legend;
Legend legend_of(const HeatmapInput& input);  // the legend below the heatmap
// Between few tokens cells may be wider than high, so that all labels have room; between many tokens cells are square.
// heatmap(input, 480, 400, theme, measure) shows input.values in at most 480 x 400 points.
Figure heatmap(const HeatmapInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure);

// One head in a picture of several heads: its weights, and the sizes of their marks on a scale 0..1 (-1..1 for signed values).
struct HeadMatrix {
  std::string name;  // "3.5": layer 3, head 5
  int hue = 0;       // index into Theme::hues
  Tensor values;     // f32 [rows, columns]
  Tensor shares;     // f32, of the same shape; the largest mark is 1
};

// The slides' grid of dots: a disc in each cell, whose area is the cell's share of the largest possible disc. Several heads are
// drawn over each other, each in its hue; negative values have their own colour. Masked cells are hatched; a weight of zero gives
// an empty cell.
struct DotsInput : MatrixInput {
  std::vector<HeadMatrix> heads;
  bool is_signed = false;                                   // coloured by sign instead of by head
  std::vector<std::pair<float, std::string>> legend_discs;  // shares and the texts beside them, e.g. {1, "1"}
};
// legend_of(input, theme, 24): the legend's discs have the size of the discs in cells with sides of 24 points.
Legend legend_of(const DotsInput& input, const Theme& theme, float cell);
// dots(input, 480, 400, theme, measure) shows the heads of `input`.
Figure dots(const DotsInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure);

// Weights as arcs from a column of queries to a column of keys (or the other way), in each head's hue; width and opacity grow
// with the weight. choose_arcs() chooses the arcs.
// Every token with a cell that holds no finite number has a mark in that kind's colour at the ends of its arcs.
struct Arc {
  std::int64_t row = 0, column = 0;
  float weight = 0;  // the weight itself
  float share = 0;   // how it is drawn, 0..1
};
struct ArcSet {
  std::vector<Arc> arcs;  // the weakest first, so that the strongest are drawn on top
  double held = 0;        // share of the total weight that the arcs hold, 0..1
};
// Takes the strongest cells of each query until they hold `share` (0..1) of the query's weight, never masked cells or zeros. If
// these cells are more than `most`, only the strongest `most` are taken. A share of 0 means: the largest of 100, 95, 90, 80, 70,
// 50, 30 % that gives no more than `most` arcs, else the strongest `most`. `rows_are_queries`: false if the rows of the matrix
// are keys. Cells that hold no finite number come last, at most `most` of them, and are not among the weight.
// choose_arcs(head, {}, 0.9, 600) gives the arcs that hold 90 % of each query's weight, if these are at most 600.
ArcSet choose_arcs(const HeadMatrix& head, const Tensor& mask, double share, std::int64_t most, bool rows_are_queries = true);

struct ArcsInput : MatrixInput {
  struct Head {
    HeadMatrix matrix;
    ArcSet arcs;
  };
  std::vector<Head> heads;
  // If `isolate` is true and a hot_row or hot_column is given, only this token's arcs are shown: all of them, with their weights.
  bool isolate = true;
  float most_span = 460;  // the most distance from one column to the other, in points
};
// The width in points and the opacity of an arc, by its share.
float arc_width(float share);
float arc_opacity(float share);
Legend legend_of(const ArcsInput& input);
// arcs(input, 480, 400, theme, measure) shows the chosen arcs of `input`.
Figure arcs(const ArcsInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure);

// One query and its keys, dimension by dimension: q, k, their products, the sum, and the weight after the softmax.
struct NeuronInput {
  std::string query_label;
  Tensor query;  // f32 [d]
  struct Key {
    std::int64_t number = 0;  // the key's position in the sentence
    std::string label;
    bool visible = true;  // false: the mask hides the key
    double score = 0, scaled = 0, weight = 0;
  };
  std::vector<Key> rows;   // the shown keys, in order
  Tensor keys;             // f32 [rows, d]
  std::int64_t total = 0;  // number of all keys
  double held = 1;         // share of the weight that the shown keys hold
  int hue = 0;             // the head's hue
  bool additive = false;   // `query` is v and `keys` are tanh(q + k) of an additive score
  std::string title, note;
  std::int64_t hot_key = -1;  // Key::number of the highlighted key; -1: none
  std::uint64_t key = 0;
};
// neuron(input, 640, 400, theme, measure) shows one row of cells for each of input.rows.
Figure neuron(const NeuronInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure);
// The number of keys that have room in a picture `box_height` points high, at least 1; `titled`: the picture has a title.
// neuron_rows(0, measure) gives 1.
std::int64_t neuron_rows(float box_height, const TextMeasure& measure, bool titled = true);

// All heads of all layers as thumbnails: rows are layers and columns are heads, or the heads stand in another order with their
// names.
struct GridInput {
  std::int64_t layers = 0, heads = 0;
  std::int64_t first_layer = 0;    // the number of the first row
  std::vector<Tensor> values;      // layers * heads, f32 [queries, keys]
  std::vector<Tensor> masks;       // same count or empty
  std::vector<CellCounts> counts;  // as in Cells, of heads whose values are blocks; same count or empty
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
  // If the heads are sorted or filtered: the shown heads in this order, as layer * heads + head. Above each thumbnail stand the
  // head's name and the number by which it is sorted. Empty: all heads in the model's order.
  std::vector<std::int64_t> order;
  std::vector<std::string> names, marks;             // per head, if there is an order: "3.5", ".41"
  bool ordered = false;                              // `order` is used, even if it is empty
  std::vector<std::uint8_t> faint;                   // per head, 1: the head does not match the search
  std::vector<std::pair<std::int64_t, int>> chosen;  // heads shown together, with their hues
  // Per head, or empty: below a head with a role stands a bar as long as the role's score, and the role's name if all names fit.
  struct Role {
    int hue = 0;
    double score = 0;  // 0..1
    std::string name;
  };
  std::vector<std::optional<Role>> roles;
  std::string data_name = "weights";
  float most_slot = 168;  // side of a thumbnail and its gap, in points
  // The least side. Where all thumbnails of this side do not fit, the figure grows beyond its box, and the caller scrolls it.
  float least_slot = 2;
  // The visible part of a figure that is scrolled, in its points: thumbnails outside of it are not drawn, and the numbers of
  // layers and heads stand at its edges. No width: all of it is visible.
  Box window;
  std::int64_t begin_layer = 0, end_layer = -1;  // the rows that are shown; -1: up to the last one
  // Heads of keys and values, where query heads share them: the heads of a key head stand together under its number. 0: each
  // head has its own.
  std::int64_t key_heads = 0;
  std::string low_words, high_words;   // words at the ends of the colour bar; empty: the numbers `low` and `high`
  std::string quantity, masked_words;  // as in MatrixInput
  double unit = 1;                     // as in HeatmapInput
};
// head_grid(input, 900, 820, theme, measure) shows one thumbnail per head, tagged Tag::thumbnail.
Figure head_grid(const GridInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure);
// The side of a thumbnail and its gap at which all heads fit into the box, in the model's order and without titles.
// fitting_slot(input, 300, 400, measure) is about 30 for 12 layers of 9 heads.
float fitting_slot(const GridInput& input, float box_width, float box_height, const TextMeasure& measure);
// The room of all heads with thumbnails of this side, in the model's order and without titles.
// room_of_grid(input, 28, measure).w is about 280 for 9 heads.
Box room_of_grid(const GridInput& input, float slot, const TextMeasure& measure);

// The height of the numbers over the thumbnails, which cover a scrolled figure at its upper edge.
float grid_numbers_height(const GridInput& input, const TextMeasure& measure);

// All heads of all layers as small tiles: the hue says a head's role, the strength its score, a head without a role is an
// outline. A frame stands around the layers from `first` to `last`, those that the grid beside it shows.
struct OverviewInput {
  std::int64_t layers = 0, heads = 0, key_heads = 0, first_layer = 0;
  std::vector<std::optional<GridInput::Role>> roles;  // by layer * heads + head, or empty
  std::vector<std::uint8_t> faint;                    // as in GridInput
  std::int64_t selected_layer = -1, selected_head = -1;
  std::int64_t hot_layer = -1, hot_head = -1;
  std::int64_t first = -1, last = -1;
  float tile = 10;  // side of a tile with its gap, in points
};
inline constexpr float kNumberedTile = 7;  // the least side of tiles that have numbers beside them
// head_overview(input, theme, measure) is as large as its tiles, each tagged Tag::thumbnail.
Figure head_overview(const OverviewInput& input, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
