// Arrays beside a model's own road (models::Node::Aside): what a table of sines is made from, and the labels of a loss.
#pragma once

#include "engine/attention/positions/position.h"
#include "engine/core/tensor.h"
#include "engine/models/plan.h"
#include "engine/pipeline/executor.h"

namespace headlight {

// Whether it depends on the tokens; otherwise on how many places there are.
bool is_of_tokens(models::Node::Aside aside);

// places, frequencies or angles of `length` places, f64; `entry` has a frequency.
Tensor positions_aside(models::Node::Aside aside, const positions::Entry& entry, std::int64_t length, std::int64_t d_model);

// labels, next_labels or all_but_last, i32.
Tensor labels_aside(models::Node::Aside aside, const BatchIds& batch);

}  // namespace headlight
