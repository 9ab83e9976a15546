#include "engine/attention/shares/summand_shares.h"

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/operations/relative_rows.h"

namespace headlight::shares {
namespace {

// Partial sums of their own let the compiler use vector instructions without changing the order of additions between runs.
constexpr std::size_t kLanes = 16;

template <class Term>
float sum_of(std::size_t count, const Term& term) {
  float lanes[kLanes] = {};
  std::size_t c = 0;
  for (; c + kLanes <= count; c += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(c + lane);
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  for (; c < count; ++c) sum += term(c);
  return sum;
}

float length(std::span<const float> z) {
  const float* const p = z.data();
  return sum_of(z.size(), [p](std::size_t c) { return std::abs(p[c]); });
}

float importance_of(std::span<const float> z, float z_length, const float* x, float factor) {
  const float* const p = z.data();
  return std::max(0.0F, z_length - sum_of(z.size(), [=](std::size_t c) { return std::abs(p[c] - factor * x[c]); }));
}

// Head `head`'s value of a key as a query adds it: with the row of its distance and the scale of the norm behind. The value
// itself where there is neither, else a copy in `room`.
const float* value_of(const Summands& all, std::int64_t head, std::int64_t query, std::int64_t key, std::vector<float>& room) {
  const float* const value = all.values.data() + (head * all.keys + key) * all.width;
  if (all.by_distance.empty() && all.scale.empty()) return value;
  room.assign(value, value + all.width);
  if (!all.by_distance.empty()) {
    const std::int64_t row = operations::relative_row(query, key, all.clip);
    const float* const more = all.by_distance.data() + (head * (2 * all.clip + 1) + row) * all.width;
    for (std::int64_t c = 0; c < all.width; ++c) room[static_cast<std::size_t>(c)] += more[c];
  }
  if (!all.scale.empty()) {
    const float* const scale = all.scale.data() + query * all.width;
    for (std::int64_t c = 0; c < all.width; ++c) room[static_cast<std::size_t>(c)] *= scale[c];
  }
  return room.data();
}

std::span<const float> row_of(std::span<const float> matrix, std::int64_t row, std::int64_t width) {
  return matrix.subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width));
}

}  // namespace

float importance(std::span<const float> z, std::span<const float> x, float factor) {
  return importance_of(z, length(z), x.data(), factor);
}

Importances importances(const Summands& all, const CancelToken& cancel) {
  Importances made;
  const auto queries = static_cast<std::size_t>(all.queries);
  made.by_source.assign(queries * static_cast<std::size_t>(all.keys), 0.0F);
  made.before.assign(queries, 0.0F);
  made.rest.assign(queries, 0.0F);
  made.total.assign(queries, 0.0F);
  made.rest_size.assign(queries, 0.0F);
  const bool whole = parallel_for(
      all.queries, 1,
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> room, rest;
        for (std::int64_t query = begin; query < end; ++query) {
          const auto at = static_cast<std::size_t>(query);
          const std::span<const float> z = row_of(all.sum, query, all.width);
          const float z_length = length(z);
          float* const by_source = made.by_source.data() + query * all.keys;
          rest.assign(z.begin(), z.end());
          if (!all.before.empty()) {
            const std::span<const float> before = row_of(all.before, query, all.width);
            made.before[at] = importance_of(z, z_length, before.data(), 1);
            for (std::size_t c = 0; c < rest.size(); ++c) rest[c] -= before[c];
          }
          for (std::int64_t head = 0; head < all.heads; ++head) {
            const float* const weights = all.weights.data() + (head * all.queries + query) * all.keys;
            for (std::int64_t key = 0; key < all.keys; ++key) {
              const float weight = weights[key];
              if (weight == 0) continue;
              const float* const value = value_of(all, head, query, key, room);
              by_source[key] += importance_of(z, z_length, value, weight);
              for (std::size_t c = 0; c < rest.size(); ++c) rest[c] -= weight * value[c];
            }
          }
          if (!all.bias.empty()) {
            room.assign(all.bias.begin(), all.bias.end());
            if (!all.scale.empty())
              for (std::size_t c = 0; c < room.size(); ++c) room[c] *= row_of(all.scale, query, all.width)[c];
            made.rest[at] = importance_of(z, z_length, room.data(), 1);
            for (std::size_t c = 0; c < rest.size(); ++c) rest[c] -= room[c];
          }
          made.rest[at] += importance_of(z, z_length, rest.data(), 1);
          made.total[at] = made.before[at] + made.rest[at] +
                           sum_of(static_cast<std::size_t>(all.keys), [by_source](std::size_t k) { return by_source[k]; });
          for (const float one : rest) made.rest_size[at] = std::max(made.rest_size[at], std::abs(one));
        }
      },
      cancel);
  return whole ? made : Importances{};
}

}  // namespace headlight::shares
