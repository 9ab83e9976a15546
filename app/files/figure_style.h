// The look of a figure in a file: its parts, exact size, type, background, colours and tokens. The options of the command line
// and the choices of the export dialog are read into one FigureStyle, whose defaults give the picture as the screen shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// A length. A length without a unit is in points of the screen, 1/96 inch, and limits the picture's size; a length with a unit is
// the picture's exact size.
struct Length {
  enum Unit { none, mm, pt, in, px } unit = none;
  double value = 0;  // 0: not given
  bool exact() const { return unit != none; }
  // The length in points of the screen. A px of a PNG is one of its pixels, at `dpi` pixels an inch; elsewhere (dpi 96) a px is
  // 1/96 inch, as in CSS. Length{Length::in, 2}.points() gives 192; Length{Length::px, 600}.points(300) gives 192, too.
  double points(int dpi = 96) const;
  bool operator==(const Length&) const = default;
};
const char* name_of(Length::Unit unit);  // "mm" for Length::mm, "" for Length::none

// A person's choices, as they were typed. An empty text means that nothing was chosen.
struct FigureChoices {
  std::string title, caption;               // on, off or the user's own words
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
  std::optional<bool> numbers;  // in cells. none: in large cells; true: also in small cells, in small type
  std::string own_title, own_caption;
  Length width, height, cell;
  std::string font;  // a family; empty: the program's own fonts
  // Of axis names and of the words below the picture, in points of print (1/72 inch); other type is scaled alike. 0: not scaled
  double font_size = 0;
  Ground background = Ground::theme;
  bool transposed = false;
  std::optional<double> low, high, centre;
  std::vector<std::int64_t> rows, columns;  // the shown tokens; empty: all

  // Whether the style chooses nothing but, perhaps, a largest size (a width or height without a unit).
  bool plain() const;
  // The option of the first choice that only a picture of a matrix can have: "--cell", say. Empty: the style has no such choice.
  std::string matrix_choice() const;
  bool operator==(const FigureStyle&) const = default;
};

// The style that the choices describe. Errors (usage): the first text that cannot be read or contradicts another, with its
// option.
Result<FigureStyle> read_style(const FigureChoices& choices);

// The length in `text`; `where` is the option's name, for errors. Errors (usage): a length with a unit outside of 5 mm to 2 m,
// one without a unit outside of 200 to 8000 points.
// read_length("84mm", "--width") gives {Length::mm, 84}.
Result<Length> read_length(std::string_view text, const std::string& where);
// The numbers in a list of numbers and ranges; a repeated number counts once.
// read_numbers("0,2-5", "--tokens") gives 0, 2, 3, 4, 5.
Result<std::vector<std::int64_t>> read_numbers(std::string_view text, const std::string& where);

// The choices that were made, each as (name, text), for the configuration file. set_choice() reads one back and ignores a name
// that it does not know. set_choice(choices, "width", "84mm") sets choices.width.
std::vector<std::pair<std::string, std::string>> named_choices(const FigureChoices& choices);
void set_choice(FigureChoices& choices, std::string_view name, const std::string& value);

}  // namespace headlight
