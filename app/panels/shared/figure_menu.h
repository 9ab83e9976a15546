// The menu that every picture on the screen has under the right mouse button.
#pragma once

#include <functional>
#include <string>

#include "app/gl/figure_view.h"
#include "app/panels/shared/panel.h"

namespace headlight::panels {

// Call it each frame after FigureView::draw() with what that returned: opens on a right click and offers to export the picture
// that `make` returns (as large as a paper wants it, without what is lit by the mouse) and to copy it. `id` is unique in the
// window.
void figure_menu(Context& context, const char* id, const gl::Hit& hit, const std::function<figures::Figure()>& make);

}  // namespace headlight::panels
