// What the status bar says about index-based attention, measured on this machine.
#pragma once

#include <optional>

#include "engine/core/cancel.h"

namespace headlight::window {

// The Index lab's sizes as it opens: W words of l symbols of width d, over n symbols.
inline constexpr int kMeasuredWords = 500, kMeasuredLength = 32, kMeasuredWidth = 512, kMeasuredSymbols = 64;

// The median time of the fastest layer without an index over ISDPA's, both per call, on the CPU backend; a fraction of a second's
// work, since only the ways are timed that can be the fastest there: those that project distinct rows.
// Nothing if it was stopped or could not be measured.
std::optional<double> isdpa_ratio(const CancelToken& cancel);

}  // namespace headlight::window
