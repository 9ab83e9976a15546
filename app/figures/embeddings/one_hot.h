// A one-hot vector times a matrix, with its numbers: the product is one row of the matrix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct OneHotInput {
  struct Row {
    std::int64_t id = 0;
    std::string token;
    std::vector<double> numbers;  // the first numbers of the row
  };
  std::vector<Row> rows;  // rows of the table, in the order of their ids; a gap is drawn where ids are left out
  std::size_t chosen = 0;
  std::int64_t vocabulary = 0, dimensions = 0;  // shape of the whole table
  std::string title;
};
// `width` points wide. On the left the one-hot vector, written downwards; in the middle the table's rows, with as many numbers as
// fit; below the rows the product. Tags: rows {Tag::row, index in `rows`}; numbers {Tag::cell, index, dimension}. data: "row"
// [dimension].
// one_hot_product(input, 640, theme, measure) shows input.rows[input.chosen] as the product.
Figure one_hot_product(const OneHotInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
