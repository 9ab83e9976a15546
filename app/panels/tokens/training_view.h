// The lower half of the Tokens tab: trains a tokenizer and shows its training step by step.
#pragma once

#include "app/panels/shared/panel.h"

namespace headlight::panels {

void draw_training(Context& context);

}  // namespace headlight::panels
