// Heatmap inputs for the figure tests: labels in several scripts, sizes from one token to thousands.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/figures/attention/layouts.h"

namespace headlight::figures::samples {

inline const std::vector<std::string>& eight_tokens() {
  static const std::vector<std::string> tokens{"a", "·fluffy", "·blue", "·creature", "·roamed", "·the", "·verdant", "·forest"};
  return tokens;
}
inline const std::vector<std::string>& many_scripts() {
  static const std::vector<std::string> tokens{"注意力", "الانتباه", "ध्यान",   "👩‍👩‍👧‍👦", "внимание", "προσοχή",
                                               "주의",   "tab⇥end",  "<&>\"'", std::string("bell\a", 5)};
  return tokens;
}

// Rows that sum to 1 over the visible cells; all different.
inline HeatmapInput attention(const std::vector<std::string>& tokens, bool causal) {
  const auto n = static_cast<std::int64_t>(tokens.size());
  HeatmapInput input;
  input.values = Tensor(DType::f32, {n, n}, {"query", "key"});
  if (causal) input.mask = Tensor(DType::u8, {n, n});
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0;
    std::vector<double> row(static_cast<std::size_t>(n));
    for (std::int64_t j = 0; j < (causal ? i + 1 : n); ++j) {
      row[static_cast<std::size_t>(j)] =
          std::exp(2.5 * std::sin(static_cast<double>(i * 7 + j * 3)) - 0.15 * std::abs(static_cast<double>(i - j)));
      sum += row[static_cast<std::size_t>(j)];
    }
    for (std::int64_t j = 0; j < n; ++j) {
      input.values.data<float>()[i * n + j] = static_cast<float>(row[static_cast<std::size_t>(j)] / sum);
      if (causal) input.mask.data<std::uint8_t>()[i * n + j] = j <= i;
    }
  }
  input.row_labels = input.column_labels = tokens;
  input.title = "layer 0, head 3 · weights";
  input.range_words = "weight, fixed 0..1, viridis";
  input.note = "random weights, seed 0";
  input.key = 7;
  return input;
}
inline std::vector<std::string> repeated(std::int64_t count) {
  std::vector<std::string> tokens;
  for (std::int64_t i = 0; i < count; ++i) tokens.push_back(eight_tokens()[static_cast<std::size_t>(i * 5 % 8)]);
  return tokens;
}
inline GridInput grid(std::int64_t layers, std::int64_t heads, std::int64_t tokens) {
  GridInput input;
  input.layers = layers;
  input.heads = heads;
  for (std::int64_t i = 0; i < layers * heads; ++i) {
    HeatmapInput one = attention(repeated(tokens), i % 2 == 0);
    input.values.push_back(one.values);
    input.masks.push_back(one.mask);
    input.keys.push_back(static_cast<std::uint64_t>(i + 1));
  }
  input.title = "all heads · weights";
  input.range_words = "weight, fixed 0..1, viridis";
  input.cell_words = "in each picture: row = query, column = key";
  input.note = "random weights, seed 0";
  return input;
}

}  // namespace headlight::figures::samples
