// The mask of `headlight sdpa`: any array that the field calls a mask, as what the operation takes.
#pragma once

#include <string>
#include <vector>

#include "app/cli/arrays.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/operations/attention.h"

namespace headlight::cli {

// Both of four axes [batch, head, query, key], each of size 1 or of the problem's size; empty: none.
struct MaskArrays {
  Tensor keep;                     // u8, 1: may attend
  Tensor added;                    // f32 or f64, added to the scores
  std::vector<std::string> notes;  // how the file's mask was read, where it could have been read otherwise
};

// The array "mask" of the file, and with `causal` the mask that forbids later keys. Of the file's mask bool and integers of 0 and
// 1 (or 0 and 255) say where a query may attend, and real numbers are added. Its shape broadcasts to [batch, head, query, key] as
// NumPy's do, else it is [batch, key] (padding), [batch, query, key] or [batch * head, query, key]. Errors: another shape; other
// integers; memory.
Result<MaskArrays> read_mask_arrays(const ArrayFile& file, const operations::Attention& op, bool causal);

}  // namespace headlight::cli
