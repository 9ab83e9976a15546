// A small table: a title, named columns, rows of words and numbers, and bars behind some numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct TableInput {
  enum class Tone { plain, quiet, good, wrong };
  struct Column {
    std::string title;
    bool token = false;   // tokens: 15 pt, monospaced
    bool number = false;  // right-aligned, monospaced
  };
  struct Cell {
    std::string text;
    Tone tone = Tone::plain;
    double bar = 0;    // -1..1, drawn behind the number from the column's left end (signed: from the middle); 0: no bar
    double value = 0;  // for a number column: the value in the data
  };
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::string title, note;
  std::int64_t hot = -1;  // index of the highlighted row; -1: none
};
// `width` points wide, at least 120, and as high as its rows. Rows are tagged {Tag::row, index}. data: the number columns [row,
// column].
// table(input, 480, theme, measure) shows input.rows under the columns' titles.
Figure table(const TableInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
