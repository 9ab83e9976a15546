// What the Index lab shows: one word's four terms and the tables they are looked up in, errors of both ways as histograms, the
// cost model. Timings themselves come from benches.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backends/backend.h"
#include "engine/bench/benches.h"
#include "engine/bench/ceilings.h"

namespace headlight::bench {

// The notebook's alphabet of 64: 0 is padding, a..z are 1..26, A..Z 27..52, 0..9 53..62, everything else is 63. "apple" in words
// of 8 is [1, 16, 16, 12, 5, 0, 0, 0] (S3). Bytes beyond ASCII count as one symbol a character.
inline constexpr std::int64_t kAlphabet = 64;
struct IndexedWord {
  std::vector<std::int32_t> ids;    // [l], padded with 0
  std::vector<std::string> labels;  // [l], "·" for padding
};
IndexedWord index_word(std::string_view word, std::int64_t length);

struct WordTerms {
  IndexedWord word;
  Tensor mm, mp, pm, pp, qk;               // f32 [l, l], index first: QK^T = MM + MP + PM + PP (S2)
  Tensor table;                            // f32 [n + l, n + l]: Q K^T of every symbol and position with every other
  double mean_between = 0;                 // mean |index - direct| of qk
  double mean_index = 0, mean_direct = 0;  // mean |. - float64|
  double relative_index = 0, relative_direct = 0;
};
// F, P and weights are the notebook's, from a seed: random.
Result<WordTerms> word_terms(backends::Backend& backend, std::string_view word, std::int64_t length, std::int64_t d,
                             const CancelToken& cancel);

// So many words are computed in double in about a quarter of a second at these sizes; 1 to 16.
std::int64_t words_to_check(const Request& request);

// |result - float64| of both ways over the first words of the request, binned by its power of ten.
struct ErrorHistogram {
  static constexpr int kLowest = -11, kHighest = -3;  // powers of ten; what lies outside is counted in the outermost bins
  static constexpr int kPerDecade = 2;
  static constexpr int kBins = (kHighest - kLowest) * kPerDecade;
  std::array<std::int64_t, kBins> index{}, direct{};
  std::int64_t values = 0;  // counted, of each
  ErrorFigures index_errors, direct_errors;
};
Result<ErrorHistogram> error_histogram(const Request& request, const CancelToken& cancel);

// Counted operations of the whole pooled layer, a single head (the material's formulas; m = n + l).
struct LabSizes {
  double words = 500, length = 32, vocab = 64, d = 512;
};
// How many of n symbols occur among so many drawn uniformly: n (1 - (1 - 1/n)^draws), at least 1.
double expected_distinct(double symbols, double draws);
// 6 m d^2 + 2 m^2 d (not when cached) + 8 W l^2 + 4 W l d, m = n + l, n the symbols that occur in the batch: others get no rows.
// Where W l^2 is less than m^2 the words' own scores are multiplied out instead of a table: it stands in its place.
double index_flops(const LabSizes& s, bool cached);
double written_flops(const LabSizes& s);  // 6 W l d^2 + 2 W l^2 d
// The best without an index: each distinct row once, WQ WK^T folded where that saves, pooled before the value product:
// min(2 d^3 + 2 r d^2, 4 r d^2), r the rows that occur, at most W l and n l (neither when cached) + 2 W l^2 d + 8 W l^2 + 2 W l d
// + 2 W d^2
double shortcut_flops(const LabSizes& s, bool cached);

// The notebook's table: seconds for 10,000 repetitions on its GPU, and the mean absolute error it prints.
struct NotebookRow {
  const char *id, *label;  // "q", "Q"
  double direct_s, index_s, error;
};
inline constexpr NotebookRow kNotebook[] = {
    {"q", "Q", 11.20, 4.38, 2.2e-7}, {"qk", "QKᵀ and V", 36.69, 7.28, 6.4e-6}, {"layer", "the layer", 38.63, 8.88, 6.4e-6}};

}  // namespace headlight::bench
