#include "app/views/base/menu.h"

#include "imgui.h"

namespace headlight::views {

bool begin_menu(const Context& context, const ui::Look& look, const char* id, bool under) {
  if (!ImGui::IsPopupOpen(id)) return false;
  if (under) {
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(), screen = ImGui::GetMainViewport()->Size;
    const bool above = low.y > screen.y - high.y, to_left = low.x > 0.75f * screen.x;
    ImGui::SetNextWindowPos({to_left ? high.x : low.x, above ? low.y - look.px(4) : high.y + look.px(4)}, ImGuiCond_Always,
                            {to_left ? 1.0f : 0.0f, above ? 1.0f : 0.0f});
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(12), look.px(10)));
  const bool open = ImGui::BeginPopup(id);
  ImGui::PopStyleVar();
  if (open) push_font(context, figures::Font::words, 14);
  return open;
}

void end_menu() {
  ImGui::PopFont();
  ImGui::EndPopup();
}

}  // namespace headlight::views
