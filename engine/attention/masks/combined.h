// Reading a combined mask, and combining parts that were made already.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/attention/masks/mask.h"

namespace headlight::masks {

// The parts under the rule at the head of mask.h, at their smallest broadcastable shape; empty without parts.
Tensor joined(const std::vector<Part>& parts);
// Whether a combined mask, u8 [B or 1, h or 1, N or 1, M or 1], lets the query attend to the key; an empty one lets every cell.
bool allows(const Tensor& mask, std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t key);
// The shape that combine()'s mask has for sentences of these sizes, without making the mask: each axis is 1 or the request's
// size. Empty where no part applies. Errors: combine()'s.
Result<Shape> combined_shape(const std::vector<Choice>& choices, const Request& request, const Matrix* custom);

}  // namespace headlight::masks
