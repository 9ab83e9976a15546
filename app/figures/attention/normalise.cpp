#include "app/figures/attention/normalise.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/labels.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kLeastPower = -4;  // power of ten

Tensor by_row(const Tensor& weights, const Tensor& mask_tensor, bool rows_are_queries) {
  const Tensor in = weights.as(DType::f32).compact();
  const Tensor mask = mask_tensor.empty() ? mask_tensor : mask_tensor.compact();
  Tensor out(DType::f32, in.shape(), in.axes(), true);
  const std::int64_t rows = in.dim(0), columns = in.dim(1);
  const std::int64_t queries = rows_are_queries ? rows : columns, keys = rows_are_queries ? columns : rows;
  for (std::int64_t q = 0; q < queries; ++q) {
    const auto at = [&](std::int64_t k) { return rows_are_queries ? q * columns + k : k * columns + q; };
    float largest = 0;
    for (std::int64_t k = 0; k < keys; ++k)
      if (const float v = in.data<float>()[at(k)]; std::isfinite(v) && (mask.empty() || mask.data<std::uint8_t>()[at(k)]))
        largest = std::max(largest, v);
    for (std::int64_t k = 0; k < keys; ++k) {
      const float v = in.data<float>()[at(k)];
      out.data<float>()[at(k)] = !std::isfinite(v) ? v : largest > 0 ? v / largest : 0.0f;
    }
  }
  return out;
}

Tensor logarithm(const Tensor& weights) {
  const Tensor in = weights.as(DType::f32).compact();
  Tensor out(DType::f32, in.shape(), in.axes(), true);
  const float least = std::pow(10.0f, kLeastPower);
  for (std::int64_t i = 0; i < in.count(); ++i) {
    const float v = in.data<float>()[i];
    out.data<float>()[i] = std::isfinite(v) ? std::log10(std::max(v, least)) : v;
  }
  return out;
}

}  // namespace

Shades scale_of_weights(const std::string& range, double largest) {
  Shades s;
  if (range == "row") {
    s.high_words = tr("its largest");
    s.words = tr("weight, each query by its largest");
  } else if (range == "log") {
    s.low = kLeastPower;
    s.high = 0;
    s.low_words = "0.0001";
    s.high_words = "1";
    s.words = tr("weight, powers of ten");
  } else if (range == "own" && largest > 0) {
    s.high = static_cast<float>(largest);
    s.words = tr("weight, up to the largest");
  } else {
    s.words = tr("weight, fixed 0..1");
  }
  return s;
}

Tensor coloured_weights(const Tensor& weights, const Tensor& mask, const std::string& range, bool rows_are_queries) {
  return range == "row" ? by_row(weights, mask, rows_are_queries) : range == "log" ? logarithm(weights) : weights;
}

Shades shades_of_weights(const Tensor& weights, const Tensor& mask, const std::string& range, double largest,
                         bool rows_are_queries) {
  Shades s = scale_of_weights(range, largest);
  s.values = coloured_weights(weights, mask, range, rows_are_queries);
  return s;
}

Shades shades_of_scores(const Tensor& scores, double largest, const std::string& what) {
  Shades s;
  s.values = scores;
  s.high = largest > 0 ? static_cast<float>(largest) : 1.0f;
  s.low = -s.high;
  s.words = fill(tr("{}, symmetric about 0"), {what});
  return s;
}

Tensor shares_of(const Shades& shades) {
  const Tensor in = shades.values.as(DType::f32).compact();
  Tensor out(DType::f32, in.shape(), in.axes());
  const bool symmetric = shades.low == -shades.high;
  const float low = symmetric ? 0 : shades.low, size = symmetric ? shades.high : shades.high - shades.low;
  for (std::int64_t i = 0; i < in.count(); ++i) {
    const float v = in.data<float>()[i];
    if (std::isfinite(v)) out.data<float>()[i] = std::clamp((v - low) / (size > 0 ? size : 1.0f), symmetric ? -1.0f : 0.0f, 1.0f);
  }
  return out;
}

std::vector<std::pair<float, std::string>> legend_shares(const Shades& shades, const std::string& range) {
  std::vector<std::pair<float, std::string>> list;
  const bool symmetric = shades.low == -shades.high;
  for (const float share : {0.1f, 0.25f, 0.5f, 1.0f}) {
    std::string words;
    if (!symmetric && range == "log")
      words = range_number(std::pow(10.0, static_cast<double>(shades.low + share * (shades.high - shades.low))));
    else if (!symmetric && range == "row")
      words = range_number(static_cast<double>(100 * share)) + " %";
    else
      words = range_number(static_cast<double>(share * shades.high) * shades.unit);
    list.emplace_back(share, words);
  }
  return list;
}

}  // namespace headlight::figures
