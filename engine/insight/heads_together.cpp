#include "engine/insight/heads_together.h"

#include <algorithm>
#include <cmath>

namespace headlight {

std::string words_of(HeadsAs how, std::int64_t heads, std::int64_t head) {
  if (how == HeadsAs::one) return "head " + std::to_string(head);
  return (how == HeadsAs::mean ? "mean of " : "largest of ") + std::to_string(heads) + (heads == 1 ? " head" : " heads");
}

Result<Tensor> heads_together(HeadsAs how, std::int64_t heads, std::int64_t head,
                              FunctionRef<Result<Tensor>(std::int64_t head)> read) {
  if (how == HeadsAs::one) return read(head);
  Tensor all;
  DType real = DType::f32;
  for (std::int64_t h = 0; h < heads; ++h) {
    HL_ASSIGN(const Tensor one, read(h));
    const Tensor numbers = one.as(DType::f64).compact();
    if (one.dtype() == DType::f64) real = DType::f64;
    const double* in = numbers.data<double>();
    if (h == 0) {
      all = Tensor(DType::f64, one.shape(), one.axes(), true);
      std::copy_n(in, all.count(), all.data<double>());
      continue;
    }
    double* to = all.data<double>();
    for (std::int64_t i = 0; i < all.count(); ++i) {
      if (how == HeadsAs::mean)
        to[i] += in[i];
      else if (!(to[i] >= in[i]) && !std::isnan(to[i]))
        to[i] = in[i];  // also NaN
    }
  }
  if (how == HeadsAs::mean)
    for (std::int64_t i = 0; i < all.count(); ++i) all.data<double>()[i] /= static_cast<double>(heads);
  return all.as(real);
}

Tensor axis_together(HeadsAs how, const Tensor& values, int axis) {
  // Reading an array that is there does not fail.
  return heads_together(how, values.dim(axis), 0, [&](std::int64_t h) -> Result<Tensor> { return values.select(axis, h); })
      .value();
}

}  // namespace headlight
