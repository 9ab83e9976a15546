// What opens under the pickers.
#pragma once

#include "app/window/widgets.h"

namespace headlight::window {

class Shell;

void model_popup(Shell& shell, const Look& look);
void tokenizer_popup(Shell& shell, const Look& look);
void position_popup(Shell& shell, const Look& look);
void mask_popup(Shell& shell, const Look& look);
void score_popup(Shell& shell, const Look& look);
void size_popup(Shell& shell, const Look& look);
void backend_popup(Shell& shell, const Look& look);
void view_popup(Shell& shell, const Look& look);

}  // namespace headlight::window
