// The switches of "what if": the selected head taken out, with equal weights, another sentence's pattern, scaled; its layer taken
// out; single cells of it masked.
#pragma once

#include "app/panels/shared/attention_choice.h"
#include "app/ui/widgets.h"
#include "engine/document/intervention.h"

namespace headlight::panels {

// Draws them at ImGui's cursor. The context has a trace and transient state; `choice` has a site, whose head `head` is.
// `low`: there is little height, so hints are left out.
void draw_switches(Context& context, const ui::Look& look, const AttentionChoice& choice, const ModelAddress& head, bool low);

}  // namespace headlight::panels
