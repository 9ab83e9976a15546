// The two ways to make one of a layer's heads of full width (S4), side by side over one sentence: the 2-D stack with its model's
// own matrices, and concatenation with a W_O drawn from the same seed.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct CombinedHeads {
  struct Way {
    std::int64_t parameters = 0;       // of the combiner alone
    std::int64_t at_course_sizes = 0;  // with h = 32, d = 512, n_hidden = 16, n_output = 1
    double seconds = 0;                // the fastest of some calls, on the CPU
    double flops = 0;                  // multiplications and additions of the products
    Tensor output;                     // f64 [rows, d_model]
    double largest = 0;                // of its absolute values
  };
  std::string prefix;  // AttentionSite::prefix
  std::int64_t heads = 0, rows = 0, d = 0, hidden = 0;
  Way stack, concat;
  Tensor concat_matrix;  // W_O [h d, d], normal numbers of deviation 1/sqrt(h d)
  std::uint64_t bytes() const;
};

// The document whose model has its layers up to `layer` with stacked heads, and nothing trained, given or changed in it: what
// combine_both_ways() is asked about where the document's own model puts heads side by side.
Document with_stacked_heads(const Document& document, std::int64_t layer);

// Of the first kMostCombinedRows tokens of sentence `batch`. Errors: unavailable where the heads are not stacked; not_found: no
// such sentence; too_large: W_O would have more than 2^26 numbers; cancelled; the trace's own.
inline constexpr std::int64_t kMostCombinedRows = 512;
Result<CombinedHeads> combine_both_ways(const Trace& trace, const AttentionSite& site, std::int64_t batch,
                                        const CancelToken& cancel);

}  // namespace headlight
