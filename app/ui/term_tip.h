// The meaning of a term of the glossary, where the mouse rests on it.
#pragma once

#include "app/ui/widgets.h"

namespace headlight::ui {

// Shows it where nothing else has a tooltip; call it once per frame, after everything else was drawn. `now` in seconds. Returns
// the seconds after which a frame must follow; below 0: none. if (const double wait = draw_pointed_term(look, now); wait >= 0)
// frame_in(wait);
double draw_pointed_term(const Look& look, double now);

}  // namespace headlight::ui
