// The value map of a head. A head passes on a token's vector times V_down V_up, two thin matrices, so that this map has rank d_v
// at most (Elhage et al. 2021 call it the OV circuit). V_down is the head's columns of W_V, V_up the head's rows of W_O.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// The singular values of a map, and numbers that follow from them.
struct Spectrum {
  std::vector<double> values;  // descending, not negative; values that must be 0 by the sizes alone are left out
  double norm = 0;             // Frobenius: the root of the sum of their squares
  std::int64_t rank = 0;       // number of values above rounding: above the first value times the larger size times 2^-52
  double effective_rank = 0;   // e^entropy of the values divided by their sum (Roy and Vetterli 2007); 0 for a map of zeros
};
// spectrum_of({4, 3}, 8): norm is 5, and rank is 2.
Spectrum spectrum_of(std::vector<double> singular_values, std::int64_t larger_size);
// The singular values of down [d, k] times up [k, e], both row by row. They are found from the two triangles of the QR
// decompositions, so that the product is never built.
// singular_values_of_product({1, 0}, {0, 2}, 2, 1, 2) gives {2}: the product {{0, 2}, {0, 0}} has rank 1.
std::vector<double> singular_values_of_product(const std::vector<double>& down, const std::vector<double>& up, std::int64_t d,
                                               std::int64_t k, std::int64_t e);
// The singular values of a [d, d] map of independent normal numbers, divided by its Frobenius norm: an example of full rank. The
// numbers are drawn from `seed`. Cancelled: empty.
// full_rank_singular_values(64, 0): 64 values whose squares add up to 1.
std::vector<double> full_rank_singular_values(std::int64_t d, std::uint64_t seed, const CancelToken& cancel = {});

// The largest d for which a map of [d, d] numbers is built, and a full-rank map is drawn.
inline constexpr std::int64_t kWidestMap = 1024;

struct ValueMap {
  std::string prefix;  // AttentionSite::prefix
  std::int64_t head = 0;
  std::int64_t d_in = 0, d_v = 0, d_out = 0;
  std::string down_name, up_name;            // the parameters W_V and W_O
  std::int64_t down_column = 0, up_row = 0;  // the first column and the first row of the head's part
  Tensor down, up;                           // f64 [d_in, d_v], [d_v, d_out]
  Tensor map;                                // f64 [d_in, d_out]; empty where a model is wider than kWidestMap
  Spectrum spectrum;
  std::vector<Spectrum> heads;  // of all heads, this one among them
  std::int64_t numbers() const { return d_in * d_v + d_v * d_out; }
  std::int64_t full_numbers() const { return d_in * d_out; }
  std::uint64_t bytes() const { return down.bytes() + up.bytes() + map.bytes() + heads.size() * heads.size() * sizeof(double); }
};
// Errors: no such head (not_found); an attention without both W_V and W_O (unavailable); the trace's own; cancelled.
// value_map(*trace, site, 2): the map of head 2 with its singular values, beside the other heads' values.
Result<ValueMap> value_map(const Trace& trace, const AttentionSite& site, std::int64_t head, const CancelToken& cancel = {});

// Two ways to the same vectors: sum over heads h of A_h (X V_down,h + b_h) V_up,h, head by head in double, and the model's own
// Concat_h(A_h (X V_down,h + b_h)) W_O, without the bias of W_O.
struct ValueSum {
  std::int64_t heads = 0, rows = 0;  // the first `rows` queries
  Tensor by_head, concat;            // f64 [rows, d_out]
  double largest = 0;                // the largest absolute value in `concat`
  double difference = 0;             // the largest |by_head - concat|
  double tolerance = 0;              // rounding explains this much: 256 of the trace's units in the last place of `largest`
  bool changed = false;              // an intervention changes the model, so that the two may differ
  bool equal() const { return difference <= tolerance; }
  std::uint64_t bytes() const { return by_head.bytes() + concat.bytes(); }
};
inline constexpr std::int64_t kMostSummedRows = 512;
// The first kMostSummedRows queries of one sentence. Errors: those of value_map().
// value_sum(*trace, site, 0): equal() is true without interventions.
Result<ValueSum> value_sum(const Trace& trace, const AttentionSite& site, std::int64_t batch, const CancelToken& cancel = {});

}  // namespace headlight
