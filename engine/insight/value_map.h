// The value map of a head: what the head hands on of a token is the token's vector times V_down V_up, two thin matrices, so that
// the map from a vector to a vector has rank d_v at most (Elhage et al. 2021 call it the OV circuit). V_down is the head's
// columns of W_V, V_up the head's rows of W_O.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// The singular values of a map, and what follows from them.
struct Spectrum {
  std::vector<double> values;  // descending, not negative; those that are 0 by the sizes alone are left out
  double norm = 0;             // Frobenius: the root of the sum of their squares
  std::int64_t rank = 0;       // how many are above rounding: larger than the first times the larger size times 2^-52
  double effective_rank = 0;   // e^entropy of the values divided by their sum (Roy and Vetterli 2007); 0 for a map of zeros
};
Spectrum spectrum_of(std::vector<double> singular_values, std::int64_t larger_size);
// Of down [d, k] times up [k, e], both row by row: found from the two triangles of their QR decompositions, so that the product
// is never built.
std::vector<double> singular_values_of_product(const std::vector<double>& down, const std::vector<double>& up, std::int64_t d,
                                               std::int64_t k, std::int64_t e);
// Of a [d, d] map of independent normal numbers, divided by its Frobenius norm: what a map of full rank looks like. Drawn from
// `seed`. Cancelled: empty.
std::vector<double> full_rank_singular_values(std::int64_t d, std::uint64_t seed, const CancelToken& cancel = {});

// The widest model whose map of [d, d] numbers is built and whose full-rank map is drawn.
inline constexpr std::int64_t kWidestMap = 1024;

struct ValueMap {
  std::string prefix;  // AttentionSite::prefix
  std::int64_t head = 0;
  std::int64_t d_in = 0, d_v = 0, d_out = 0;
  std::string down_name, up_name;            // the parameters W_V and W_O
  std::int64_t down_column = 0, up_row = 0;  // where the head's part begins in them
  Tensor down, up;                           // f64 [d_in, d_v], [d_v, d_out]
  Tensor map;                                // f64 [d_in, d_out]; empty where a model is wider than kWidestMap
  Spectrum spectrum;
  std::vector<Spectrum> heads;  // of all heads, this one among them
  std::int64_t numbers() const { return d_in * d_v + d_v * d_out; }
  std::int64_t full_numbers() const { return d_in * d_out; }
  std::uint64_t bytes() const { return down.bytes() + up.bytes() + map.bytes() + heads.size() * heads.size() * sizeof(double); }
};
// Errors: no such head (not_found); an attention without both W_V and W_O (unavailable); the trace's own; cancelled.
Result<ValueMap> value_map(const Trace& trace, const AttentionSite& site, std::int64_t head, const CancelToken& cancel = {});

// The two ways to the same vectors: sum over heads h of A_h (X V_down,h + b_h) V_up,h, head by head in double, and the model's
// own Concat_h(A_h (X V_down,h + b_h)) W_O, without the bias of W_O.
struct ValueSum {
  std::int64_t heads = 0, rows = 0;  // the first `rows` queries
  Tensor by_head, concat;            // f64 [rows, d_out]
  double largest = 0;                // of `concat`, without its sign
  double difference = 0;             // the largest |by_head - concat|
  double tolerance = 0;              // what rounding explains: 256 of the trace's units in the last place of `largest`
  bool changed = false;              // an intervention changes the model, so that the two may differ
  bool equal() const { return difference <= tolerance; }
  std::uint64_t bytes() const { return by_head.bytes() + concat.bytes(); }
};
inline constexpr std::int64_t kMostSummedRows = 512;
// Of the first kMostSummedRows queries of one sentence. Errors: as value_map()'s.
Result<ValueSum> value_sum(const Trace& trace, const AttentionSite& site, std::int64_t batch, const CancelToken& cancel = {});

}  // namespace headlight
