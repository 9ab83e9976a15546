// The padding of a batch: its shorter sentences are filled with [PAD] to the length of the longest. Without the mask "padding"
// they attend to [PAD] as to any other token (a key of zeros scores 0, and e^0 = 1).
#pragma once

#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/pipeline/trace.h"

namespace headlight {

inline constexpr const char* kPaddingAttended =
    "padding takes part: the shorter sentences attend to [PAD]; the mask 'padding' keeps it out";

// Whether the document has the mask "padding".
bool masks_padding(const Document& document);
// Whether tokens of the trace attend to padding.
bool attends_padding(const Trace& trace);
// The same before anything is computed. Errors: those of outline().
Result<bool> would_attend_padding(const Document& document);

}  // namespace headlight
