// The context menu of every picture on the screen, under the right mouse button.
#pragma once

#include <string>

#include "app/gl/figure_view.h"
#include "app/panels/shared/panel.h"
#include "engine/core/function_ref.h"

namespace headlight::panels {

// Call it in each frame after FigureView::draw() with its result: opens on a right click and offers to export the picture that
// `make` returns (in a size for paper, without highlights) and to copy it. `id` is unique in the window.
void figure_menu(Context& context, const char* id, const gl::Hit& hit, FunctionRef<figures::Figure()> make);

}  // namespace headlight::panels
