// The lessons' number about index-based attention, measured on this machine.
#pragma once

#include <optional>

#include "engine/core/cancel.h"

namespace headlight::window {

// The initial sizes of the Index lab: W words of l symbols of width d, over n symbols.
inline constexpr int kMeasuredWords = 500, kMeasuredLength = 32, kMeasuredWidth = 512, kMeasuredSymbols = 64;

// The median time of the fastest layer without an index, divided by ISDPA's median time, both per call on the CPU backend. It
// takes a fraction of a second, because only methods that can be the fastest are timed: those that project distinct rows. None if
// it was stopped or could not be measured.
std::optional<double> isdpa_ratio(const CancelToken& cancel);

}  // namespace headlight::window
