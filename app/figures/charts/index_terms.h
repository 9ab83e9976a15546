// The four terms of QKᵀ for one word as pictures that add up, and the table in which the terms are looked up.
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

}  // namespace headlight::figures
