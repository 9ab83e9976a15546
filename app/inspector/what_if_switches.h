// The switches of "what if": take the selected head out, give it equal weights or another sentence's pattern, scale it; take its
// layer out; mask its single cells.
#pragma once

#include "app/ui/widgets.h"
#include "app/views/base/attention_choice.h"
#include "engine/document/intervention.h"

namespace headlight::views {

// Draws the switches at ImGui's cursor. The context has a trace and transient state, and `choice` has the site of the head
// `head`. `low` leaves the hints out, for a place of little height.
// draw_switches(context, look, choice, head, false);
void draw_switches(Context& context, const ui::Look& look, const AttentionChoice& choice, const ModelAddress& head, bool low);

}  // namespace headlight::views
