// A column of a view that is as high as its contents.
#pragma once

#include <imgui.h>

#include "app/ui/widgets.h"

namespace headlight::views {

// Draws a column `width` points wide, which `draw` fills; `id` is unique among the columns beside it.
// growing_column("left", look, 240, [&] { draw_list(context); });
template <class Draw>
void growing_column(const char* id, const ui::Look& look, float width, Draw draw) {
  const ImGuiWindowFlags quiet =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;
  if (ImGui::BeginChild(id, {look.px(width), 0}, ImGuiChildFlags_NavFlattened | ImGuiChildFlags_AutoResizeY, quiet)) draw();
  ImGui::EndChild();
}

}  // namespace headlight::views
