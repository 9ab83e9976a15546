// The page of all terms of the glossary, over the window.
#pragma once

#include "app/ui/widgets.h"

namespace headlight::window {

class Shell;

// draw_glossary(shell, look) draws the page while shell.ui.glossary.open is true.
void draw_glossary(Shell& shell, const ui::Look& look);

}  // namespace headlight::window
