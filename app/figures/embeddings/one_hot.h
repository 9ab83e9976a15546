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
    std::vector<double> numbers;  // its first ones
  };
  std::vector<Row> rows;  // of the table, in the order of their ids; where ids are left out there is a gap
  std::size_t chosen = 0;
  std::int64_t vocabulary = 0, dimensions = 0;  // of the whole table
  std::string title;
};
// `width` points wide. Left the one-hot vector, written downwards; in the middle the table's rows, as many numbers as fit; below
// them the product. Tags: rows {Tag::row, its place in `rows`}; numbers {Tag::cell, place, dimension}. data: "row" [dimension].
Figure one_hot_product(const OneHotInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
