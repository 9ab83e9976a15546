#include "engine/insight/head_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <unordered_map>

#include "engine/core/mean.h"

namespace headlight {
namespace {

void name_pattern(HeadStatistics& s, bool self_attention) {
  if (s.rows == 0) return;
  struct Named {
    const char* name;
    double score;
  };
  std::vector<Named> named{{"first-token head", s.first_token}};
  if (self_attention) {
    named.push_back({"previous-token head", s.previous});
    named.push_back({"self head", s.self});
    named.push_back({"next-token head", s.next});
    if (!std::isnan(s.induction)) named.push_back({"induction head", s.induction});
  }
  const Named best =
      *std::max_element(named.begin(), named.end(), [](const Named& a, const Named& b) { return a.score < b.score; });
  char text[96];
  if (best.score >= 0.5 && best.score >= 2 * s.chance) {
    s.pattern = best.name;
    s.score = best.score;
    std::snprintf(text, sizeof text, "%s (score %.2f)", best.name, best.score);
  } else if (s.relative_entropy >= 0.95) {
    s.pattern = "even";
    s.score = s.relative_entropy;
    std::snprintf(text, sizeof text, "spreads evenly (%.0f %% of the largest entropy)", 100 * s.relative_entropy);
  } else {
    s.pattern = "mixed";
    s.score = best.score;
    std::snprintf(text, sizeof text, "mixed, nearest: %s %.2f", best.name, best.score);
  }
  s.words = text;
}

}  // namespace

HeadStatistics head_statistics(const Tensor& weights, const Tensor& mask, std::span<const std::int32_t> ids) {
  HeadStatistics s;
  if (weights.empty() || weights.rank() != 2 || weights.count() == 0) return s;
  const Tensor dense = weights.as(DType::f32).compact();
  const Tensor allowed = mask.empty() ? Tensor() : mask.compact();
  const std::int64_t queries = dense.dim(0), keys = dense.dim(1);
  const bool self_attention = !ids.empty();
  const float* w = dense.data<float>();
  const std::uint8_t* may = allowed.empty() ? nullptr : allowed.data<std::uint8_t>();

  Mean entropy, relative, first, distance, relative_distance, previous, self, next, induction, chance;
  std::unordered_map<std::int32_t, std::vector<std::int64_t>> seen;  // token -> the positions after its occurrences
  for (std::int64_t i = 0; i < queries; ++i) {
    const float* row = w + i * keys;
    const std::uint8_t* ok = may ? may + i * keys : nullptr;
    std::int64_t visible = 0, farthest = 0;
    double sum = 0, h = 0, reach = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      const double x = row[j];
      sum += x;
      if (ok && !ok[j]) continue;
      ++visible;
      farthest = std::max(farthest, std::abs(i - j));
      if (x > 0) h -= x * std::log(x);
      reach += x * static_cast<double>(std::abs(i - j));
    }
    const auto sees = [&](std::int64_t j) { return j >= 0 && j < keys && (!ok || ok[j]); };
    // A sum that is NaN is the worst.
    if (visible > 0 && !std::isnan(s.worst_row_sum) && !(std::abs(sum - 1) <= std::abs(s.worst_row_sum - 1)))
      s.worst_row_sum = sum;
    if (visible >= 2) {
      ++s.rows;
      entropy.add(h);
      relative.add(h / std::log(static_cast<double>(visible)));
      chance.add(1.0 / static_cast<double>(visible));
      if (sees(0) && !(self_attention && i == 0)) first.add(row[0]);
      if (self_attention) {
        distance.add(reach);
        if (farthest > 0) relative_distance.add(reach / static_cast<double>(farthest));
        if (sees(i - 1)) previous.add(row[i - 1]);
        if (sees(i)) self.add(row[i]);
        if (sees(i + 1)) next.add(row[i + 1]);
      }
    }
    if (self_attention && i < static_cast<std::int64_t>(ids.size())) {
      auto& after = seen[ids[static_cast<std::size_t>(i)]];
      double repeated = 0;
      bool any = false;
      for (const std::int64_t j : after)
        if (j < i && sees(j)) {
          repeated += row[j];
          any = true;
        }
      if (any && visible >= 2) induction.add(repeated);
      if (after.size() < 64) after.push_back(i + 1);
    }
  }
  s.entropy = entropy.value();
  s.relative_entropy = relative.value();
  s.first_token = first.value();
  s.distance = distance.value();
  s.relative_distance = relative_distance.value();
  s.previous = previous.value();
  s.self = self.value();
  s.next = next.value();
  s.induction = induction.value(std::numeric_limits<double>::quiet_NaN());
  s.chance = chance.value();
  name_pattern(s, self_attention);
  return s;
}

Reduced reduce_to(const Tensor& values, const Tensor& mask, std::int64_t limit, bool mean) {
  Reduced out;
  const std::int64_t rows = values.dim(0), columns = values.dim(1);
  const std::int64_t longest = std::max(rows, columns);
  if (longest <= limit) {
    out.values = values.as(DType::f32).compact();
    out.mask = mask.empty() ? mask : mask.compact();
    return out;
  }
  out.block = (longest + limit - 1) / limit;
  const Tensor dense = values.as(DType::f32).compact();
  const Tensor allowed = mask.empty() ? Tensor() : mask.compact();
  const std::int64_t small_rows = (rows + out.block - 1) / out.block, small_columns = (columns + out.block - 1) / out.block;
  out.values = Tensor(DType::f32, {small_rows, small_columns}, values.axes());
  if (!allowed.empty()) out.mask = Tensor(DType::u8, {small_rows, small_columns});
  for (std::int64_t r = 0; r < small_rows; ++r)
    for (std::int64_t c = 0; c < small_columns; ++c) {
      float best = 0, lost = 0;  // lost: what no maximum or mean may hide: NaN, else +∞, else -∞
      double sum = 0;
      std::int64_t seen = 0;
      const std::int64_t i_end = std::min(rows, (r + 1) * out.block), j_end = std::min(columns, (c + 1) * out.block);
      for (std::int64_t i = r * out.block; i < i_end; ++i)
        for (std::int64_t j = c * out.block; j < j_end; ++j) {
          if (!allowed.empty() && !allowed.data<std::uint8_t>()[i * columns + j]) continue;
          const float value = dense.data<float>()[i * columns + j];
          if (!std::isfinite(value) && (lost == 0 || std::isnan(value) || value > lost)) lost = value;
          best = seen == 0 ? value : std::max(best, value);
          sum += static_cast<double>(value);
          ++seen;
        }
      out.values.data<float>()[r * small_columns + c] = lost != 0          ? lost
                                                        : mean && seen > 0 ? static_cast<float>(sum / static_cast<double>(seen))
                                                                           : best;
      if (!allowed.empty()) out.mask.data<std::uint8_t>()[r * small_columns + c] = seen > 0;
    }
  return out;
}

}  // namespace headlight
