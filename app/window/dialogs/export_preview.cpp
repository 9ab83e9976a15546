#include "app/window/dialogs/export_preview.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/export/raster.h"
#include "app/gl/figure_view.h"

namespace headlight::window {
namespace {

constexpr float kSquare = 8;   // of the pattern behind a transparent picture, in points
constexpr int kMostDpi = 288;  // a small picture is not blown up beyond this

// The pattern that stands for nothing.
void draw_squares(ImDrawList& list, ImVec2 low, ImVec2 high, const ui::Look& look) {
  const float side = look.px(kSquare);
  list.AddRectFilled(low, high, IM_COL32(255, 255, 255, 255));
  for (int row = 0; low.y + static_cast<float>(row) * side < high.y; ++row)
    for (int column = row % 2; low.x + static_cast<float>(column) * side < high.x; column += 2) {
      const ImVec2 at(low.x + static_cast<float>(column) * side, low.y + static_cast<float>(row) * side);
      list.AddRectFilled(at, {std::min(at.x + side, high.x), std::min(at.y + side, high.y)}, IM_COL32(214, 217, 222, 255));
    }
}

}  // namespace

void ExportPreview::clear() {
  if (!texture_.id()) return;
  texture_ = gl::Texture();
  changed_ = true;
}

void ExportPreview::draw(const figures::Figure& figure, const figures::Theme& theme, ImVec2 box, bool has_gl,
                         const ui::Look& look) {
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImGui::Dummy(box);
  if (!has_gl || !(figure.width > 0) || !(figure.height > 0)) return;
  if (changed_ || box.x != box_.x || box.y != box_.y) {
    changed_ = false;
    box_ = box;
    const float scale = std::min(box.x / figure.width, box.y / figure.height);
    const int dpi = std::clamp(static_cast<int>(std::floor(96 * scale)), 1, kMostDpi);
    const auto pixels = figures::rasterise(figure, theme, dpi);
    // The new texture is made before the old one is freed, so that it has another name: the window then paints it anew.
    gl::Texture made;
    if (pixels.ok())
      if (auto texture = gl::Texture::make(pixels->width, pixels->height, gl::Texture::Format::rgba8, pixels->rgba.data(), true);
          texture.ok())
        made = std::move(texture).value();
    texture_ = std::move(made);
  }
  if (!texture_.id()) return;
  const auto wide = static_cast<float>(texture_.width()), high = static_cast<float>(texture_.height());
  const ImVec2 from(std::round(low.x + (box.x - wide) / 2), std::round(low.y + (box.y - high) / 2)),
      to(from.x + wide, from.y + high);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (figure.background.a <= 0) draw_squares(list, from, to, look);
  list.AddImage(static_cast<ImTextureID>(texture_.id()), from, to);
  list.AddRect(from, to, gl::packed(look.theme.line));
}

}  // namespace headlight::window
