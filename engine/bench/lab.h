// The numbers of the Index lab: one word's four terms and the table that they are looked up in, histograms of the errors of both
// methods (index first, and the layer as written), and the counted cost. Times are measured by benches.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/bench/benches.h"
#include "engine/bench/ceilings.h"
#include "engine/operations/isdpa_rules.h"

namespace headlight::bench {

// The notebook's alphabet of 64: 0 is padding, a..z are 1..26, A..Z 27..52, 0..9 53..62, everything else is 63 (S3). A character
// beyond ASCII counts as one symbol.
inline constexpr std::int64_t kAlphabet = 64;
struct IndexedWord {
  std::vector<std::int32_t> ids;    // [l], padded with 0
  std::vector<std::string> labels;  // [l], "·" for padding
};
// index_word("apple", 8) gives the ids [1, 16, 16, 12, 5, 0, 0, 0].
IndexedWord index_word(std::string_view word, std::int64_t length);

// The terms of one word's scores.
struct WordTerms {
  IndexedWord word;
  Tensor mm, mp, pm, pp, qk;               // f32 [l, l], by the index method: QK^T = MM + MP + PM + PP (S2)
  Tensor table;                            // f32 [n + l, n + l]: Q K^T of every symbol and position with every other
  double mean_between = 0;                 // mean |index - direct| over qk
  double mean_index = 0, mean_direct = 0;  // each method's mean |qk - qk in float64|
  double relative_index = 0, relative_direct = 0;
};
// F, P and the weights are random numbers as the notebook draws them (notebook_inputs), always from the same seed. With
// position_weights P is multiplied by three weights of its own, else by the weights of F.
// word_terms(backend, "apple", 8, 512, cancel): terms of 8 x 8 numbers and a table of 72 x 72.
Result<WordTerms> word_terms(backends::Backend& backend, std::string_view word, std::int64_t length, std::int64_t d,
                             const CancelToken& cancel, bool position_weights = false);

// The number of words of these sizes that are compared with float64, 1 to 16, so that the comparison takes about a quarter of a
// second.
std::int64_t words_to_check(const Request& request);

// Histograms of |result - result in float64| of both methods, over the first words of the request. Bins are half powers of ten.
struct ErrorHistogram {
  static constexpr int kLowest = -11, kHighest = -3;  // powers of ten; errors outside them are counted in the outermost bins
  static constexpr int kPerDecade = 2;
  static constexpr int kBins = (kHighest - kLowest) * kPerDecade;
  std::array<std::int64_t, kBins> index{}, direct{};
  std::int64_t values = 0;  // numbers counted by each histogram
  ErrorFigures index_errors, direct_errors;
};
// error_histogram(request, cancel): the counts of `index` add up to `values`.
Result<ErrorHistogram> error_histogram(const Request& request, const CancelToken& cancel);

// One word's attention weights, softmax(QK^T / sqrt(d)), whose rows sum to 1, and their mean over the queries (S3). With
// mask_padding keys that are padding (symbol 0) have weight 0, and queries that are padding are left out of the mean. A word of
// padding alone has weights of 0.
struct WordWeights {
  Tensor weights;  // f32 [l, l]
  Tensor pooled;   // f32 [l]
};
// word_weights(terms, 512, true) of "apple": columns 5 to 7 are 0.
WordWeights word_weights(const WordTerms& terms, std::int64_t d, bool mask_padding);

// Counted operations of the whole layer (the material's formulas; m = n + l).
struct LabSizes {
  double words = 500, length = 32, vocab = 64, d = 512;
  double heads = 1;
  double padding = 0;  // share of all symbols in the words that is padding, 0..1; padding is one symbol of the vocabulary
  bool pooled = true;  // the result is the mean over the queries; else every query's output is kept
  bool position_weights = false;  // the positions have their own weights
};
using operations::expected_distinct;
// The index method: 6 m d^2 + 2 m^2 d (neither if cached) + 8 h W l^2 + 4 W l d, with m = n + l and n the number of symbols that
// occur in the batch; only those are projected. Where W l^2 is less than m^2, each word's own scores are computed as products
// instead of a table, and W l^2 replaces m^2. Where every query's output is kept, V is gathered and weighted: W l d + 2 W l^2 d
// replaces 4 W l d.
// index_flops({}, false) gives about 0.197e9 for the notebook's sizes.
double index_flops(const LabSizes& s, bool cached);
// The layer as written: 6 W l d^2 + 2 W l^2 d; where every query's output is kept, 4 W l^2 d replaces 2 W l^2 d. Position weights
// add 6 l d^2.
double written_flops(const LabSizes& s);
// The best method without an index: each distinct row is projected once, WQ WK^T is folded where that saves work (a single head),
// and rows are pooled before the value product. With r the number of distinct rows that occur, at most W l and n l: min(2 d^3 + 2
// r d^2, 4 r d^2) (not if cached) + 2 W l^2 d + 8 h W l^2 + 2 W l d + 2 W d^2. Where every query's output is kept: 6 r d^2 (not
// if cached) + 4 W l^2 d + 8 h W l^2. With position weights nothing is folded and no row is shared: 4 W l d^2 + 6 l d^2 (the
// latter not if cached) + 2 W l^2 d + 8 h W l^2 + 4 W l d + 2 W d^2. With both, the layer as written + 8 h W l^2.
// shortcut_flops({}, true): without the projections that are kept.
double shortcut_flops(const LabSizes& s, bool cached);
// These three formulas as text for the screen.
// index_formula({}, false) gives "6 m d² + 2 min(m², W l²) d + 8 W l² + 4 W l d".
std::string index_formula(const LabSizes& s, bool cached);
std::string written_formula(const LabSizes& s);
std::string shortcut_formula(const LabSizes& s, bool cached);
// The number of symbols that are expected to occur in the batch: n in m = n + l.
double symbols_that_occur(const LabSizes& s);
// The number of different pairs of symbol and position that are expected to occur in the batch: r.
double rows_that_occur(const LabSizes& s);

// Mean |index method - layer as written| of Q, QK^T and the result, over the first words of the request.
struct StageDifferences {
  double q = 0, qk = 0, layer = 0;
};
// stage_differences(request, cancel): layer is about 1e-7 for the notebook's sizes.
Result<StageDifferences> stage_differences(const Request& request, const CancelToken& cancel);

// The notebook's table: seconds for 10,000 repetitions on its GPU, and its mean absolute difference between both methods. For the
// layer it repeats the difference of the row above by mistake; the difference of the layer's result is about 1e-7.
inline constexpr double kNotebookRepetitions = 10000;
struct NotebookRow {
  const char *id, *label;  // "q", "Q"
  double direct_s, index_s, error;
};
inline constexpr NotebookRow kNotebook[] = {
    {"q", "Q", 11.20, 4.38, 2.2e-7}, {"qk", "QKᵀ and V", 36.69, 7.28, 6.4e-6}, {"layer", "the layer", 38.63, 8.88, 6.4e-6}};

}  // namespace headlight::bench
