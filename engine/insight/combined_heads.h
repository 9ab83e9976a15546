// The two ways to combine a layer's heads of full width into one (S4), side by side over one sentence: the 2-D stack with the
// model's own matrices, and concatenation with a W_O drawn from the same seed.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct CombinedHeads {
  struct Way {
    std::int64_t parameters = 0;       // numbers of the combiner alone
    std::int64_t at_course_sizes = 0;  // the same with h = 32, d = 512, n_hidden = 16, n_output = 1
    double seconds = 0;                // the fastest of several calls, on the CPU
    double flops = 0;                  // multiplications and additions of the matrix products
    Tensor output;                     // f64 [rows, d_model]
    double largest = 0;                // the largest absolute value in `output`
  };
  std::string prefix;  // AttentionSite::prefix
  std::int64_t heads = 0, rows = 0, d = 0, hidden = 0;
  Way stack, concat;
  Tensor concat_matrix;  // W_O [h d, d], drawn: normal numbers of deviation 1/sqrt(h d)
  std::uint64_t bytes() const;
};

// The document with a sandbox model of layers 0 .. `layer` whose heads are stacked, and without trained weights, given matrices
// or interventions. combine_both_ways() needs such a document where the document's own model puts heads side by side.
// with_stacked_heads(document, 0): a model of one layer with stacked heads.
Document with_stacked_heads(const Document& document, std::int64_t layer);

// The first kMostCombinedRows tokens of sentence `batch` are combined. Errors: the heads are not stacked (unavailable); no such
// sentence (not_found); W_O would have more than 2^26 numbers (too_large); the trace's own errors; cancelled.
// combine_both_ways(*trace, trace->sites()[0], 0, {}): both outputs, parameter counts and times of the first attention.
inline constexpr std::int64_t kMostCombinedRows = 512;
Result<CombinedHeads> combine_both_ways(const Trace& trace, const AttentionSite& site, std::int64_t batch,
                                        const CancelToken& cancel);

}  // namespace headlight
