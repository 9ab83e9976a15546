// The matrix of the open view, as a figure whose cells, colours and tokens can be chosen.
#pragma once

#include <string>

#include "app/export/arrange.h"
#include "app/files/figure_style.h"
#include "app/panels/shared/panel.h"

namespace headlight::window {

// Heads' matrix: one head, or several of one layer, as heatmap, dots or arcs, as `headlight export --what weights` draws them.
// Empty if the open view shows no such picture. The function refers to the context's data, so it is valid in this frame only.
// `title` is the picture's title if there is one picture.
// matrix_figure_of(context, style, "layer 2, head 3")
figures::MakeFigure matrix_figure_of(const panels::Context& context, const FigureStyle& style, const std::string& title);

}  // namespace headlight::window
