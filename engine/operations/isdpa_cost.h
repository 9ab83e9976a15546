// The counted cost of index-based attention. Its ways differ in the products that they compute.
#pragma once

#include "engine/operations/isdpa.h"

namespace headlight::operations {

// Floating-point operations. `ready`: kept arrays (tables, folded weights, projected rows) exist already and cost nothing.
// isdpa_flops(op, true) is smaller than isdpa_flops(op, false) for a cached table.
double isdpa_flops(const Isdpa& op, bool ready);
// Bytes of inputs that are never read: rows of F whose symbols do not occur. With tables ready also F, P and the weights are not
// read, less the tables that are read in their place.
// isdpa_untouched(op, false, 4): for float32.
double isdpa_untouched(const Isdpa& op, bool ready, double size_of_real);

}  // namespace headlight::operations
