// Several heads as one matrix: the mean or the largest number of every cell.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/function_ref.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight {

enum class HeadsAs { one, mean, max };

// "mean of 12 heads", "largest of 12 heads"; "head 3" of HeadsAs::one.
std::string words_of(HeadsAs how, std::int64_t heads, std::int64_t head);

// Cell by cell over heads 0 .. heads - 1, each read as a matrix of one shape by `read`; f64 where they are, else f32. A cell that
// is NaN in one head is NaN. With HeadsAs::one it is `head` alone. Errors: those of `read`. heads_together(HeadsAs::mean, 2, 0,
// read) of {1, 0} and {0, 0} gives {0.5, 0}.
Result<Tensor> heads_together(HeadsAs how, std::int64_t heads, std::int64_t head,
                              FunctionRef<Result<Tensor>(std::int64_t head)> read);

// The same over one axis of an array, which the result lacks. axis_together(HeadsAs::max, x, 1) of [2, 4, 5, 5] gives [2, 5, 5].
Tensor axis_together(HeadsAs how, const Tensor& values, int axis);

}  // namespace headlight
