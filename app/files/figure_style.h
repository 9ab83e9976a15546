// How a figure in a file is to look: its parts, its exact size, its type, its ground, its colours and its tokens. What is typed
// on the command line and chosen in the export dialog is read into one FigureStyle; its defaults are a picture as it is on the
// screen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// A length. Without a unit it is in points of the screen, 1/96 inch, and says the most that a picture may take.
struct Length {
  enum Unit { none, mm, pt, in, px } unit = none;
  double value = 0;  // 0: not given
  bool exact() const { return unit != none; }
  // In points of the screen. px of a PNG are its pixels, at `dpi` an inch; elsewhere (dpi 96) they are 1/96 inch, as in CSS.
  double points(int dpi = 96) const;
  bool operator==(const Length&) const = default;
};
const char* name_of(Length::Unit unit);  // "mm"; of none ""

// What a person chose, as it was typed. Empty texts: as it is without the choice.
struct FigureChoices {
  std::string title, caption;               // on, off or words of one's own
  std::string note, axes, numbers, legend;  // on or off
  std::string width, height, cell;          // "84mm", "238pt", "3.3in", "600px", "600"
  std::string font, font_size;              // "DejaVu Serif", "8pt"
  std::string background;                   // theme, white or transparent
  std::string limits, centre, tokens;       // "-3,3"; "0"; "0,2-5" or "0-3/1,2"
  bool transposed = false;
  bool operator==(const FigureChoices&) const = default;
};

enum class Ground { theme, white, transparent };

struct FigureStyle {
  bool title = true, caption = true, note = true, axes = true, legend = true;
  std::optional<bool> numbers;  // in cells; none: where cells are large. true: in small cells too, in small type
  std::string own_title, own_caption;
  Length width, height, cell;
  std::string font;  // a family; empty: the program's own
  double font_size =
      0;  // of axis names and the words below, in points of print (1/72 inch); other type goes with it. 0: as it is
  Ground background = Ground::theme;
  bool transposed = false;
  std::optional<double> low, high, centre;
  std::vector<std::int64_t> rows, columns;  // the shown tokens; empty: all

  // Whether nothing is chosen, so that the picture is what it is on the screen.
  bool plain() const;
  // The first choice that only a picture of a matrix can have, as an option's name; empty: there is none.
  std::string matrix_choice() const;
  bool operator==(const FigureStyle&) const = default;
};

// Errors (usage): the first text that is none of its kind, with the option that says it.
Result<FigureStyle> read_style(const FigureChoices& choices);

// The length in `text`, "84mm". `where`: the option, for errors. Lengths with a unit are 5 mm to 2 m; without one 200 to 8000.
Result<Length> read_length(std::string_view text, const std::string& where);
// The numbers in "0,2-5".
Result<std::vector<std::int64_t>> read_numbers(std::string_view text, const std::string& where);

// The choices by their names, as they are remembered, and taken back from them; names that are not known are passed over.
std::vector<std::pair<std::string, std::string>> named_choices(const FigureChoices& choices);
void set_choice(FigureChoices& choices, std::string_view name, const std::string& value);

}  // namespace headlight
