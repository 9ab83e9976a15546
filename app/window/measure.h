// What the status bar says about index-based attention, measured on this machine.
#pragma once

#include <optional>

#include "engine/core/cancel.h"

namespace headlight::window {

// W words of l symbols of width d, over n symbols.
inline constexpr int kMeasuredWords = 64, kMeasuredLength = 16, kMeasuredWidth = 128, kMeasuredSymbols = 64;

// The fastest written-out layer's median time over ISDPA's, both per call, on the CPU backend; a fraction of a second's work.
// Nothing if it was stopped or could not be measured.
std::optional<double> isdpa_ratio(const CancelToken& cancel);

}  // namespace headlight::window
