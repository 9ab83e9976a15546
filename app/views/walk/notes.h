// The Walk-through's text about the highlighted step: its words and numbers, the choice of layer and head, and suggestions to
// try.
#pragma once

#include "app/views/walk/parts.h"

namespace headlight::views::walk {

// All of it in a bordered area.
sheet::Node notes_part(Sheet& sheet, const Shared& frame);
// The step's name and operation in a line; `whole`: and its sentence below, in as many lines at every step.
sheet::Node line_part(Sheet& sheet, const Shared& frame, bool whole);
// The line, with a button that opens all of the notes: for places without room for them.
sheet::Node folded_notes(Sheet& sheet, const Shared& frame);

}  // namespace headlight::views::walk
