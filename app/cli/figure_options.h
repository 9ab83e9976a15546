// The options for the looks of a figure: --width 84mm, --title off, --background white, --tokens 0,2-5 and the others.
#pragma once

#include <filesystem>
#include <string>

#include "app/cli/arguments.h"
#include "app/files/figure_style.h"
#include "engine/core/status.h"

namespace headlight::cli {

class FigureOptions {
 public:
  explicit FigureOptions(Arguments& arguments);

  // The style for a file of this name. Errors: read_style()'s; (usage) a choice of looks for a file of data.
  Result<FigureStyle> read(const std::filesystem::path& out) const;
  // Pixels an inch: the given number; without --dpi 192, or 96 if the size is in pixels.
  int dpi(const FigureStyle& style) const;
  // The theme's id: the given one; else light on a white background, and the session's on others.
  // theme(style, "dark") is "light" for --background white.
  std::string theme(const FigureStyle& style, const std::string& of_session) const;
  const std::string& given_theme() const { return theme_; }

 private:
  FigureChoices choices_;
  std::string theme_;
  int dpi_ = 0;  // 0: not given
};

// Whether a file of this name is a picture: .png, .svg or .pdf.
bool is_picture(const std::filesystem::path& path);

}  // namespace headlight::cli
