// The context menu of every picture on the screen, under the right mouse button.
#pragma once

#include <string>

#include "app/gl/figure_view.h"
#include "app/views/base/context.h"
#include "engine/core/function_ref.h"

namespace headlight::views {

// Opens on a right click and offers to export and to copy the picture that `make` returns: one in a size for paper, without
// highlights. Call it in each frame after FigureView::draw() with its result `hit`; `id` is unique in the window.
// figure_menu(context, "heads menu", hit, [&] { return figure_of_heads(context, 600, 400); });
// `more` adds lines of the view's own above them.
void figure_menu(
    const Context& context, const char* id, const gl::Hit& hit, FunctionRef<figures::Figure()> make,
    FunctionRef<void()> more = [] {});

}  // namespace headlight::views
