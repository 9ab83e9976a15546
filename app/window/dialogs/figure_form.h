// The part of the export dialog in which one chooses how a picture is to look: the same choices as on the command line.
#pragma once

#include <string>

#include "app/files/figure_style.h"
#include "app/ui/widgets.h"

namespace headlight::window {

class FigureForm {
 public:
  // What can be chosen of this picture.
  struct Offer {
    bool type = false;    // its font: it can be laid out again
    bool matrix = false;  // cells, colours and tokens
  };

  const FigureChoices& choices() const { return choices_; }
  // Takes choices over, as if they had been made here.
  void set(const FigureChoices& choices);
  // Forgets what belongs to one picture: words of one's own, tokens, the ends of colours, rows for columns.
  void forget_content();
  // The choices without these, which are remembered for the next picture.
  FigureChoices style() const;

  void draw(const ui::Look& look, const Offer& offer);

 private:
  void draw_parts(const ui::Look& look);
  void draw_size(const ui::Look& look, const Offer& offer);
  void draw_matrix(const ui::Look& look);

  FigureChoices choices_;
  std::string own_title_, own_caption_;
};

}  // namespace headlight::window
