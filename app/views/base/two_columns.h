// Two columns of a view beside each other, each as high as its contents.
#pragma once

#include <imgui.h>

#include "app/ui/widgets.h"
#include "app/views/base/growing_column.h"

namespace headlight::views {

// Draws two columns `left` and `right` points wide, with `gap` points between; `id` is unique in the view, and each function
// fills its column.
// two_columns("model", look, 240, 400, 24, [&] { draw_choices(context); }, [&] { draw_result(context); });
template <class Left, class Right>
void two_columns(const char* id, const ui::Look& look, float left, float right, float gap, Left draw_left, Right draw_right) {
  ImGui::PushID(id);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  growing_column("left", look, left, draw_left);
  ImGui::SameLine(0, look.px(gap));
  growing_column("right", look, right, draw_right);
  ImGui::PopStyleVar();
  ImGui::PopID();
}

}  // namespace headlight::views
