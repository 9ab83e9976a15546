// Hide, guess, reveal: something of what the view shows is covered, the class guesses, a key uncovers it, and the guesses are
// counted by keys. It works in every view, because the pictures are covered where they are drawn (app/gl). Nothing of it is
// saved.
#pragma once

#include <vector>

#include "app/figures/base/cover.h"
#include "app/gl/figure_view.h"
#include "app/ui/widgets.h"

namespace headlight::window {

class Shell;

struct Guess {
  figures::Hides hides = figures::Hides::nothing;  // nothing: the mode is off
  bool revealed = false;
  figures::Cover cover;
  gl::GuessMarks marks;
  std::vector<int> votes;  // the candidate of each vote, from 0, in the order of counting

  bool on() const { return hides != figures::Hides::nothing; }
  bool covers() const { return on() && !revealed; }
  // Whether more than numbers is covered, so that nothing may light up or be written out elsewhere.
  bool is_secret() const { return covers() && hides != figures::Hides::numbers; }
  // How many votes each candidate has, up to the last one that was counted or marked.
  std::vector<int> counted() const;
};

// F9: lays a cover, takes it off, lays it again. guess_next lays the next kind of cover.
void guess(Shell& shell);
void guess_next(Shell& shell);
// guess_about(shell, figures::Hides::names) covers the names.
void guess_about(Shell& shell, figures::Hides hides);
void end_guess(Shell& shell);
void forget_votes(Shell& shell);
// The keys 1 to 9, Backspace and 0, while no field is typed in.
void handle_guess_keys(Shell& shell);

// Between the two, what is drawn is covered.
void begin_covered(Shell& shell, const ui::Look& look);
void end_covered(Shell& shell, const ui::Look& look);
// The line below the view: what is covered, and the guesses counted so far. Its height in pixels, 0 while the mode is off.
float guess_height(const Shell& shell, const ui::Look& look);
void draw_guess(Shell& shell, const ui::Look& look, ImVec2 low, float width);
// In place of the inspector, which would write out what is covered.
void draw_covered_inspector(const Shell& shell, const ui::Look& look);

}  // namespace headlight::window
