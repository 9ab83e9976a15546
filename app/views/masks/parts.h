// The parts of the Masks view, one per file: the list of layers, the pictures to paint on, the pages about shapes and about the
// value that replaces a masked score, the films.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/masks/mask_pictures.h"
#include "app/views/base/view.h"
#include "app/views/masks/data.h"
#include "app/views/masks/state.h"

namespace headlight::views::masked {

inline State& own(const Context& context) { return context.view.own.of<State>(); }

// The view during one frame.
struct MaskTab {
  const Scene& scene;
  const Context& context;
  const ui::Look look;
  AttentionChoice choice;
  std::shared_ptr<const MaskCount> count;  // null: still being counted
};
using Shared = std::shared_ptr<const MaskTab>;

// choose_attention(), whose words, where the view shows them, are those that the queries have read.
AttentionChoice choose_masked(const Context& context);
// Whether the painted layer applies to the shown attention.
bool can_paint(const AttentionChoice& choice);

// layers.cpp: the tools, the layers with their switches, and the layers that can be added, at ImGui's cursor.
void draw_mask_layers(const MaskTab& tab);

// painting.cpp: what the screen shows on the pictures besides what is exported: the stroke, the cursor, the window zoomed to; and
// the mouse and the keys on them, which paint, zoom and light.
figures::MaskPicturesInput input_on_screen(const MaskTab& tab);
void follow_hands(const MaskTab& tab, const gl::Hit& hit, const figures::Figure& figure, const figures::MaskPicturesInput& input);
// Cells of the picture, of words where it shows these, as tokens.
CellRange in_tokens(const AttentionChoice& choice, const CellRange& range);

// canvas.cpp: the pictures that are painted on, with their controls, what is said of them and the next word.
sheet::Node canvas_page(Sheet& sheet, const Shared& tab, std::vector<sheet::Node> controls);
figures::MaskPicturesInput canvas_input(const Context& context, const AttentionChoice& choice);
// The same for a file: canvas_figure(context, 600, 500).
figures::Figure canvas_figure(const Context& context, float width, float height);

// pages.cpp: the pages about shapes and about the fill value.
sheet::Node shapes_page(Sheet& sheet, const Shared& tab, std::vector<sheet::Node> controls);
sheet::Node fill_page(Sheet& sheet, const Shared& tab, std::vector<sheet::Node> controls);
// ... and for a file: fill_figure(context, 600, 400).
figures::Figure shapes_figure(const Context& context, float width);
figures::Figure fill_figure(const Context& context, float width, float height);

// films.cpp: the mask as it grows line by line, and a layer's parameter from its smallest value up to the value that masks
// nothing more.
// sweep_film(context, choice, layer, parameter) needs can_sweep(layer, parameter), as of the parameter "size" of "window".
figures::Animation reveal_film(const Context& context, const AttentionChoice& choice);
figures::Animation sweep_film(const Context& context, const AttentionChoice& choice, const Choice& layer,
                              const Parameter& parameter);
bool can_sweep(const Choice& layer, const Parameter& parameter);

// The width in pixels of a button with `padding` points around its label. button_width(look, "Invert") is about 70.
float button_width(const ui::Look& look, const char* label, float padding = 32);

}  // namespace headlight::views::masked
