// The export dialog: where, in which format and how fine; the file itself is written in the background lane.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/figures/figure.h"
#include "app/window/widgets.h"

namespace headlight::window {

class Shell;

class ExportDialog {
 public:
  // `light`: the same picture in the light theme for print, if it can be made again; may be null.
  void ask(figures::Figure shown, std::function<figures::Figure()> light, std::filesystem::path folder);
  bool open() const { return open_; }
  void draw(Shell& shell, const Look& look);

 private:
  std::filesystem::path target() const;
  void start(Shell& shell);

  figures::Figure figure_;
  std::function<figures::Figure()> light_;
  std::string name_, error_;
  std::filesystem::path folder_;
  int format_ = 0;
  int dpi_ = 144;
  bool for_print_ = false, open_ = false, appearing_ = false, overwrite_ = false;
};

}  // namespace headlight::window
