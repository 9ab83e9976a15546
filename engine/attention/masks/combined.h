// Reading a combined mask, and combining parts that already exist.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/attention/masks/mask.h"

namespace headlight::masks {

// The parts combined by the rule at the head of mask.h, at their smallest broadcastable shape; empty without parts.
Tensor joined(const std::vector<Part>& parts);
// Whether a combined mask, u8 [B or 1, h or 1, N or 1, M or 1], lets the query attend to the key; an empty one allows all cells.
// allows(mask, 0, 0, 2, 3) is false for a causal mask: query 2 does not see key 3.
bool allows(const Tensor& mask, std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t key);
// The shape of combine()'s mask for sentences of these sizes, without making the mask: each axis is 1 or the request's size.
// Empty if no part applies. Errors: combine()'s.
// combined_shape({{"padding", {}}, {"causal", {}}}, {.batch = 2, .queries = 9, .keys = 9}, nullptr) gives [2, 1, 9, 9].
Result<Shape> combined_shape(const std::vector<Choice>& choices, const Request& request, const Matrix* custom);

}  // namespace headlight::masks
