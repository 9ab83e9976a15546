// The parts of the Masks tab, one per file: the list of layers, the pictures to paint on, the pages about shapes and about the
// value that replaces a masked score, the films.
#pragma once

#include <memory>
#include <string>

#include "app/figures/masks/mask_pictures.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/mask_edit.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

struct MaskTab {
  Context& context;
  const ui::Look& look;
  AttentionChoice choice;
  std::shared_ptr<const MaskCount> count;  // null: still being counted
};

// choose_attention(), whose words, where the view shows them, are those that the queries have read.
AttentionChoice choose_masked(const Context& context);
// Whether the painted layer applies to the shown attention.
bool can_paint(const AttentionChoice& choice);

// mask_layers.cpp: the tools, the layers with their switches, and the layers that can be added.
void draw_mask_layers(MaskTab& tab);

// mask_canvas.cpp: the pictures, in `width` x `height` points.
// draw_mask_canvas(tab, 600, 500); canvas_figure(context, 600, 500) is the same for a file.
void draw_mask_canvas(MaskTab& tab, float width, float height);
figures::MaskPicturesInput canvas_input(const Context& context, const AttentionChoice& choice);
figures::Figure canvas_figure(const Context& context, float width, float height);
// The next word under the masks and under the model's own; without items where there is none. mask_next(context, 600).
figures::Figure mask_next(const Context& context, float width);

// mask_pages.cpp: the pages about shapes and about the fill value, `width` points wide.
// draw_mask_fill(tab, 600, 400); fill_figure(context, 600, 400) is the same for a file.
void draw_mask_shapes(MaskTab& tab, float width);
void draw_mask_fill(MaskTab& tab, float width, float height);
figures::Figure shapes_figure(const Context& context, float width);
figures::Figure fill_figure(const Context& context, float width, float height);

// mask_films.cpp: the mask as it grows line by line, and a layer's parameter from its smallest value up to the value that masks
// nothing more.
// sweep_film(context, choice, layer, parameter) needs can_sweep(layer, parameter), as of the parameter "size" of "window".
figures::Animation reveal_film(const Context& context, const AttentionChoice& choice);
figures::Animation sweep_film(const Context& context, const AttentionChoice& choice, const Choice& layer,
                              const Parameter& parameter);
bool can_sweep(const Choice& layer, const Parameter& parameter);

// Places a control on the same line while it fits, else on the next line.
class Flow {
 public:
  Flow(const ui::Look& look, float gap) : look_(look), gap_(gap) {}
  void next(float width);  // call it before a control of this many pixels

 private:
  const ui::Look& look_;
  float gap_;
  bool first_ = true;
};
// The widths in pixels of a button with `padding` points around its label, and of `count` segments.
// button_width(look, "Invert") and segmented_width(look, labels, 3).
float button_width(const ui::Look& look, const char* label, float padding = 32);
float segmented_width(const ui::Look& look, const char* const* labels, int count);

}  // namespace headlight::panels
