// The live preview of the export dialog: the pixels that the file will show, in the fonts that files use.
#pragma once

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/gl/resources.h"
#include "app/ui/widgets.h"
#include "imgui.h"

namespace headlight::window {

class ExportPreview {
 public:
  // Says that the picture has changed, so that the next frame draws it anew.
  void change() { changed_ = true; }
  void clear();  // frees its texture; its OpenGL context must be current
  // Draws the picture into a box of this size in pixels at ImGui's cursor. Without OpenGL the box stays empty.
  // draw(figure, theme, {480, 360}, true, look);
  void draw(const figures::Figure& figure, const figures::Theme& theme, ImVec2 box, bool has_gl, const ui::Look& look);

 private:
  gl::Texture texture_;
  ImVec2 box_{0, 0};
  bool changed_ = true;
};

}  // namespace headlight::window
