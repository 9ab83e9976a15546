// What the Index lab shows: one word's four terms and the tables they are looked up in, errors of both ways as histograms, the
// cost model. Timings themselves come from benches.h.
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

// What becomes of the scores: softmax(QK^T / sqrt(d)), rows sum to 1, and its mean over the queries (S3). Masked, keys that are
// padding (symbol 0) have weight 0 and queries that are padding leave the mean; where all is padding, all is 0.
struct WordWeights {
  Tensor weights;  // f32 [l, l]
  Tensor pooled;   // f32 [l]
};
WordWeights word_weights(const WordTerms& terms, std::int64_t d, bool mask_padding);

// Counted operations of the whole layer (the material's formulas; m = n + l).
struct LabSizes {
  double words = 500, length = 32, vocab = 64, d = 512;
  double heads = 1;
  double padding = 0;  // share of all symbols that fills words up: one symbol, however many there are
  bool pooled = true;  // the mean over the queries; else every query's output is kept
};
using operations::expected_distinct;
// 6 m d^2 + 2 m^2 d (not when cached) + 8 h W l^2 + 4 W l d, m = n + l, n the symbols that occur in the batch: others get no
// rows. Where W l^2 is less than m^2 the words' own scores are multiplied out instead of a table: it stands in its place. Where
// every query's output is kept, V is made and weighted: W l d + 2 W l^2 d in the place of 4 W l d.
double index_flops(const LabSizes& s, bool cached);
double written_flops(const LabSizes& s);  // 6 W l d^2 + 2 W l^2 d; every query's output: 4 W l^2 d
// The best without an index: each distinct row once, WQ WK^T folded where that saves (a single head), pooled before the value
// product: min(2 d^3 + 2 r d^2, 4 r d^2), r the rows that occur, at most W l and n l (neither when cached) + 2 W l^2 d + 8 h W
// l^2
// + 2 W l d + 2 W d^2. Where every query's output is kept: 6 r d^2 + 4 W l^2 d + 8 h W l^2.
double shortcut_flops(const LabSizes& s, bool cached);
// The same three as they are written, for a reader: "6 m d² + 2 min(m², W l²) d + 8 W l² + 4 W l d".
std::string index_formula(const LabSizes& s, bool cached);
std::string written_formula(const LabSizes& s);
std::string shortcut_formula(const LabSizes& s, bool cached);
// The symbols of the vocabulary that are expected to occur in the batch: n in m = n + l.
double symbols_that_occur(const LabSizes& s);
// ... and the distinct rows of a symbol at a place: r.
double rows_that_occur(const LabSizes& s);

// mean |index first - as written| of Q, QK^T and the result, over the first words of the request.
struct StageDifferences {
  double q = 0, qk = 0, layer = 0;
};
Result<StageDifferences> stage_differences(const Request& request, const CancelToken& cancel);

// The notebook's table: seconds for 10,000 repetitions on its GPU, and the mean absolute error it prints between both ways. The
// last one it prints is that of the row above, by mistake: of the result it is about 1e-7.
inline constexpr double kNotebookRepetitions = 10000;
struct NotebookRow {
  const char *id, *label;  // "q", "Q"
  double direct_s, index_s, error;
};
inline constexpr NotebookRow kNotebook[] = {
    {"q", "Q", 11.20, 4.38, 2.2e-7}, {"qk", "QKᵀ and V", 36.69, 7.28, 6.4e-6}, {"layer", "the layer", 38.63, 8.88, 6.4e-6}};

}  // namespace headlight::bench
