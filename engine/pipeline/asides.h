// Arrays beside a model's own steps (models::Node::Aside): the numbers that a table of sines is made from, and the labels of a
// loss.
#pragma once

#include "engine/attention/positions/position.h"
#include "engine/core/tensor.h"
#include "engine/models/plan.h"
#include "engine/pipeline/executor.h"

namespace headlight {

// Whether the array depends on the tokens; otherwise it depends on the number of places.
bool is_of_tokens(models::Node::Aside aside);

// places, frequencies or angles of `length` places, f64; `entry` must have a frequency.
// positions_aside(models::Node::Aside::places, sinusoidal, 3, 8): {{0}, {1}, {2}}.
Tensor positions_aside(models::Node::Aside aside, const positions::Entry& entry, std::int64_t length, std::int64_t d_model);

// labels, next_labels or all_but_last, i32.
// labels_aside(models::Node::Aside::next_labels, batch) of one sentence {5, 6, 7} gives {6, 7}.
Tensor labels_aside(models::Node::Aside aside, const BatchIds& batch);

}  // namespace headlight
