// The matrix that the open view shows, as a figure whose cells, colours and tokens can be chosen.
#pragma once

#include <string>

#include "app/export/arrange.h"
#include "app/files/figure_style.h"
#include "app/panels/shared/panel.h"

namespace headlight::window {

// That of Heads: one head, or several of one layer, as heatmap, dots or arcs, as `headlight export --what weights` draws them.
// Empty: the open view shows no such picture. It refers to what the context does, in this frame.
// `title`: the picture's, where it is one.
figures::MakeFigure matrix_figure_of(const panels::Context& context, const FigureStyle& style, const std::string& title);

}  // namespace headlight::window
