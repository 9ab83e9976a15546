// A column of a view that is as high as what is in it.
#pragma once

#include <imgui.h>

#include "app/ui/widgets.h"

namespace headlight::panels {

// `id` is unique among the columns beside it; `width` in points; `draw` fills the column.
template <class Draw>
void growing_column(const char* id, const ui::Look& look, float width, Draw draw) {
  const ImGuiWindowFlags quiet =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;
  if (ImGui::BeginChild(id, {look.px(width), 0}, ImGuiChildFlags_NavFlattened | ImGuiChildFlags_AutoResizeY, quiet)) draw();
  ImGui::EndChild();
}

}  // namespace headlight::panels
