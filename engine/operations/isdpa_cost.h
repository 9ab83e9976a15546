// The counted cost of index-based attention, whose ways differ in what they multiply.
#pragma once

#include "engine/operations/isdpa.h"

namespace headlight::operations {

// Floating-point operations; `ready`: what may be kept (tables, folded weights, projected rows) is there already.
double isdpa_flops(const Isdpa& op, bool ready);
// Bytes of inputs that are never read: rows of F that do not occur; with tables ready also F, P and the weights, less the tables
// that are read in their place.
double isdpa_untouched(const Isdpa& op, bool ready, double size_of_real);

}  // namespace headlight::operations
