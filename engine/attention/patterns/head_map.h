// HeadMap: one head's weights on one text, and the cells that the mask allows.
#pragma once

#include <cstdint>

#include "engine/core/tensor.h"

namespace headlight::patterns {

class HeadMap {
 public:
  // weights: f32 or f64 [row, column], rows are queries; mask: u8 of the same shape, 1 = may attend, or empty: every cell may.
  HeadMap(const Tensor& weights, const Tensor& mask) : weights_(weights.as(DType::f64).compact()), mask_(mask) {
    if (!mask_.empty()) mask_ = mask_.compact();
  }
  std::int64_t rows() const { return weights_.dim(0); }
  std::int64_t columns() const { return weights_.dim(1); }
  double operator()(std::int64_t row, std::int64_t column) const { return weights_.data<double>()[row * columns() + column]; }
  // Whether the mask allows the cell; sees(2, 3) is false under a causal mask.
  bool sees(std::int64_t row, std::int64_t column) const {
    return mask_.empty() || mask_.data<std::uint8_t>()[row * columns() + column] != 0;
  }

 private:
  Tensor weights_, mask_;
};

}  // namespace headlight::patterns
