// The pictures of the Index lab: the four terms of QKᵀ for one word and the table that they are looked up in; measured times as
// bars and errors as a histogram; a map of the sizes at which one method is faster than another. Functions from data to a Figure;
// screen and files use the same functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct IndexTermsInput {
  Tensor terms[4];                  // mm, mp, pm, pp: f32 [l, l]
  Tensor sum;                       // QKᵀ, f32 [l, l]
  Tensor weights, pooled;           // softmax of the sum, f32 [l, l], and the mean over the queries, f32 [l]; empty: not shown
  std::vector<std::string> labels;  // the symbols' labels, l
  std::uint64_t key = 0;            // unique for these values
  std::int64_t hot_row = -1, hot_column = -1;
  bool mask_padding = false;          // hatch keys that are padding in the sum, and padding keys and queries in the weights
  std::vector<std::uint8_t> padding;  // l: 1 = padding
  std::string note;
};
// Five squares with + and = between them, all on one colour scale symmetric about 0, and below them the weights with their mean.
// A narrow figure has two rows of squares. Cells are tagged cell_area with a = b = 0, so that the mouse finds row (query) and
// column (key); the mean is row l. data: the arrays. index_terms(input, 900, 480, theme, measure) is 900 points wide.
Figure index_terms(const IndexTermsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

struct LookupTableInput {
  Tensor table;                             // f32 [n + l, n + l]
  std::int64_t symbols = 0, positions = 0;  // n, l
  std::vector<std::int32_t> ids;            // ids of the word's symbols, l: the rows and columns that the word looks up
  std::vector<std::string> labels;          // labels of the word's symbols, l
  std::uint64_t key = 0;
  // A cell of the word's square; the four places that are looked up for this cell are highlighted. -1: none
  std::int64_t hot_row = -1, hot_column = -1;
  std::string note;
};
// The table as its four named blocks (symbols and positions with each other), filling `width` and `height`; a position has more
// room than a symbol if there are fewer positions. The word's rows and columns are bands, marked with the word's letters at the
// edges and bright where two bands cross; for a hot cell the four numbers that are added up have a frame. Cells are tagged
// cell_area, so that the mouse finds row and column of the whole table. data: the table. lookup_table(input, 480, 480, theme,
// measure) fills a square.
Figure lookup_table(const LookupTableInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// Measured times: the bar is the median, a whisker shows the 10th to 90th percentile, and each bar's error is beside it.
struct TimingBarsInput {
  struct Bar {
    std::string label, precision;
    double median = 0, p10 = 0, p90 = 0;                           // in the axis's unit
    std::string error;                                             // "5.5e-8"; empty: none
    enum class Kind { subject, rival, plain } kind = Kind::rival;  // amber, blue, grey
    std::string factor = {};                                       // "84×", stands behind the time; empty: none
  };
  enum class Unit { seconds, operations };
  Unit unit = Unit::seconds;
  std::vector<Bar> bars;
  // Labels of bars that will join later. The picture keeps room for these labels, so that the other bars do not move.
  std::vector<std::string> labels_to_come;
  float row = 28;  // points from one bar to the next
  bool logarithmic = false;
  std::string note;
  struct Part {
    std::string label;
    double seconds = 0;
  };
  std::string parts_label;             // "where the time goes"
  std::vector<Part> parts;             // parts of the subject's time, side by side in one linear bar; none: no such bar
  std::string reached_label, reached;  // "achieved", "111 GFLOP/s (30 %)": a line of numbers; empty: none
  std::string reached_note;            // the meaning of `reached`, in quieter text
};
// `width` points wide, as high as its bars, with an axis and its ticks below them. data: [bar, (median, p10, p90)] in the axis's
// unit, the errors and the parts. timing_bars(input, 640, theme, measure) draws input.bars below each other.
Figure timing_bars(const TimingBarsInput& input, float width, const Theme& theme, const TextMeasure& measure);

std::string operations_text(double operations);  // "197 MFLOP", "25.7 GFLOP"

// A histogram of two sets of errors by power of ten.
struct ErrorBarsInput {
  std::vector<std::int64_t> first, second;  // counts per bin
  int lowest = -11, per_decade = 2;         // lowest: power of ten at which the first bin begins
  std::string first_label, second_label, axis, note;
  std::vector<std::string> lines;  // stand below the axis: the figures of each method
};
// Exactly `width` x `height` points. error_bars(input, 480, 240, theme, measure) draws both sets over one axis.
Figure error_bars(const ErrorBarsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// A cost model over two sizes, measured points on top, and the line on which both methods take the same time.
struct WinMapInput {
  std::vector<std::int64_t> across, up;         // sizes of the columns, from the left, and of the rows, from below
  std::vector<double> model;                    // [up, across]: speed-up according to the cost model; > 1: the subject is faster
  std::vector<double> measured;                 // [up, across]: measured speed-up; 0: not measured
  std::string across_label, up_label;           // "words in the batch, W"
  std::int64_t hot = -1;                        // up * across.size() + across
  std::int64_t here_across = -1, here_up = -1;  // the cell of the sizes that the user chose elsewhere; -1: none
  std::string note;
};
// A measured cell has the colour of its measurement and a dot; other cells have the model's colour. The cells are tagged
// cell_area, a = b = 0, with rows from the top. data: model and measured [up, across], NaN where not measured.
// win_map(input, 480, 400, theme, measure) draws input.across.size() x input.up.size() cells.
Figure win_map(const WinMapInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);
inline constexpr double kMostWin = 32;  // the ends of the colours: 32 times as fast, and 1/32

}  // namespace headlight::figures
