// What each way of cutting costs: tokenizers as rows, measured columns, a bar under each number. A white tick on a bar is the
// same number of another text, such as English.
#pragma once

#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

enum class Mark { disc, ring, square, tick };

struct CostTable {
  struct Column {
    std::string first, second;  // the heading's two lines: "tokens", "on this text"
  };
  struct Cell {
    std::string text;
    double value = 0, beside = -1;  // beside: the tick; below 0: none
    bool wrong = false, quiet = false;
  };
  struct Row {
    std::string name, note;
    int hue = -1;  // of the bars and the mark; -1: grey, without a mark
    Mark mark = Mark::disc;
    bool hot = false;
    std::vector<Cell> cells;
    std::string why;  // the row's tooltip, drawn by the window
  };
  std::string title, legend;
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::size_t plain = 0;  // the rows before this one have a line below
};
// Rows are tagged {Tag::row, index}. cost_table(input, 520, theme, measure) is 520 points wide, as high as its rows.
Figure cost_table(const CostTable& input, float width, const Theme& theme, const TextMeasure& measure);

// A mark of a tokenizer in the plot and the tables. add_mark(figure, Mark::ring, {20, 20}, 6, color) adds a ring.
void add_mark(Figure& figure, Mark mark, Point at, float radius, Color color, Color ground, Tag tag = {});

}  // namespace headlight::figures
