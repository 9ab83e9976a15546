#include "app/cli/figure_options.h"

#include <algorithm>
#include <cctype>

namespace headlight::cli {
namespace {

constexpr int kDpi = 192, kScreenDpi = 96;

bool in_pixels(const FigureStyle& style) {
  return style.width.unit == Length::px || style.height.unit == Length::px || style.cell.unit == Length::px;
}

}  // namespace

bool is_picture(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".png" || ending == ".svg" || ending == ".pdf";
}

FigureOptions::FigureOptions(Arguments& arguments) {
  const auto option = [&](const char* name, std::string& value, const char* type, const char* help) {
    arguments.option(name, value, help).type(type).group("Figure").last_counts();
  };
  option("--width", choices_.width, "LENGTH",
         "84mm, 238pt, 3.3in or 600px: exactly this width in every kind of file (600px: as many pixels in a PNG, 1/96 inch "
         "elsewhere). A number alone is the most width in points of the screen, 1/96 inch, 200 to 8000 [900; a grid: 1000]");
  option("--height", choices_.height, "LENGTH", "The same for the height [820; a grid: 1000]");
  option("--cell", choices_.cell, "LENGTH", "The side of each cell, exactly: 6mm. The picture's size follows from it");
  option("--font", choices_.font, "FAMILY", "The font of all texts, such as 'DejaVu Serif' [the program's own]");
  option("--font-size", choices_.font_size, "SIZE",
         "The size of axis names and of the words below, 8pt (1/72 inch); tokens and titles go with it [9.75pt]");
  option("--title", choices_.title, "on|off|TEXT", "The title above, none, or one of your own [on]");
  option("--caption", choices_.caption, "on|off|TEXT",
         "The words below that say what colours and sizes mean, none, or a caption of your own [on]");
  option("--note", choices_.note, "on|off", "The line that says where the numbers come from: random weights, seed 0 [on]");
  option("--axes", choices_.axes, "on|off", "The names of the axes [on]");
  option("--numbers", choices_.numbers, "on|off", "Numbers in the cells; on: small ones too [where cells are large]");
  option("--legend", choices_.legend, "on|off", "The colour bar, or the discs, and the swatches below [on]");
  option("--background", choices_.background, "theme|white|transparent", "What is behind the picture [theme]");
  option("--limits", choices_.limits, "LOW,HIGH",
         "The numbers at the ends of the colours, such as -3,3; of dots and arcs 0,HIGH");
  option("--centre", choices_.centre, "NUMBER",
         "The number in the middle of the colours; without --limits they reach as far on both sides of it");
  option("--tokens", choices_.tokens, "LIST",
         "Only these rows and columns, in this order: 0,2-5; rows and columns apart: 0-3/1,2");
  arguments.flag("--transpose", choices_.transposed, "Rows become columns, and columns rows").group("Figure");
  arguments.option("--theme", theme_, "dark or light [the session's, else dark; on white: light]")
      .one_of({"dark", "light"})
      .group("Figure");
  arguments.option("--dpi", dpi_, "PNG: pixels an inch, 72 to 1200; 96 is one pixel a point [192; with a size in px: 96]")
      .type("N")
      .within(72, 1200)
      .group("Figure");
}

Result<FigureStyle> FigureOptions::read(const std::filesystem::path& out) const {
  HL_ASSIGN(FigureStyle style, read_style(choices_));
  if (is_picture(out) || style == FigureStyle()) return style;
  const std::string first = named_choices(choices_).front().first;
  std::string name = "--" + (first == "transposed" ? std::string("transpose") : first);
  std::replace(name.begin(), name.end(), '_', '-');
  return usage_error("this is a choice of pictures, and {} is none", out.string())
      .at(name)
      .mend("leave it out, or end the name with .png, .svg or .pdf");
}

int FigureOptions::dpi(const FigureStyle& style) const { return dpi_ > 0 ? dpi_ : in_pixels(style) ? kScreenDpi : kDpi; }

std::string FigureOptions::theme(const FigureStyle& style, const std::string& of_session) const {
  if (!theme_.empty()) return theme_;
  return style.background == Ground::white ? "light" : of_session;
}

}  // namespace headlight::cli
