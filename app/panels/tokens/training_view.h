// The lower half of the Tokens tab: a tokenizer is trained and its training watched one step at a time.
#pragma once

#include "app/panels/shared/panel.h"

namespace headlight::panels {

void draw_training(Context& context);

}  // namespace headlight::panels
