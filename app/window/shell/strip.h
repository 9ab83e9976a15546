// The strip at the lower edge while presenting: the open view's pages, layer and head, its own controls, and all heads small. It
// comes when the mouse goes to the lower edge or a key asks for it, and goes with the mouse, the key or Escape. The view stands
// above it: nothing is covered.
#pragma once

#include <vector>

#include "app/ui/widgets.h"
#include "app/views/base/view.h"

namespace headlight::window {

class Shell;
struct Frame;

// A key: shows the strip until it is pressed again.
void turn_strip(Shell& shell);
// Takes it away; false: it was not shown.
bool close_strip(Shell& shell);

// The strip of one frame. Construct it before the view is drawn, which leaves it the height Shell::Ui::strip.height, and draw it
// afterwards.
// Strip strip(shell, look, frame); draw_main(shell, look, frame); strip.draw();
class Strip {
 public:
  Strip(Shell& shell, const ui::Look& look, const Frame& frame);
  void draw();

 private:
  struct Item {
    views::Control control;
    bool page = false;
    float width = 0, x = 0, y = 0;  // points, from the strip's corner
  };
  void play_layers();
  void collect();
  void add_attention();
  void add(views::Control control, bool page = false);
  float width_of(const views::Control& control) const;
  float text_width(std::string_view text) const;
  void lay_out();
  void draw_item(const Item& item);
  void draw_stepper(const views::Control& control, float width);
  void draw_slider(const views::Control& control, float width);

  Shell& shell_;
  const ui::Look& look_;
  views::Context context_;
  const views::View* entry_ = nullptr;     // the open view; null: the strip is not shown
  const views::HeadGrid* grid_ = nullptr;  // null: the view shows no head
  std::vector<Item> items_;
  float grid_width_ = 0, height_ = 0;  // points
};

}  // namespace headlight::window
