// The part of the export dialog for the looks of a picture: the same choices as on the command line.
#pragma once

#include <string>

#include "app/files/figure_style.h"
#include "app/ui/widgets.h"

namespace headlight::window {

class FigureForm {
 public:
  // The choices that the picture allows.
  struct Offer {
    bool type = false;    // the font: the picture can be laid out again
    bool matrix = false;  // cells, colours and tokens
  };

  const FigureChoices& choices() const { return choices_; }
  // Sets the choices, as if they had been made here.
  void set(const FigureChoices& choices);
  // Forgets the choices that belong to one picture: the person's words, tokens, the ends of colours, transposition.
  void forget_content();
  // The choices without those of one picture. They are remembered for the next picture.
  FigureChoices style() const;

  // draw(look, {true, false}) offers a font and no choice of cells.
  void draw(const ui::Look& look, const Offer& offer);

 private:
  void draw_parts(const ui::Look& look);
  void draw_size(const ui::Look& look, const Offer& offer);
  void draw_matrix(const ui::Look& look);

  FigureChoices choices_;
  std::string own_title_, own_caption_;
};

}  // namespace headlight::window
